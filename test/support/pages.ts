import { readFileSync } from 'node:fs';
import path from 'node:path';
import {
  pageNamed,
  PAGES_DIR,
  pagesTagged,
  readManifest,
  type PageEntry,
} from '../../simulators/pages/manifest.ts';
import { outputOf } from './programs.ts';

const manifest = await readManifest();

/** A shipped page image, with the words that are on it. */
export interface ShippedPage {
  readonly file: string;
  readonly text: string;
}

/** The shipped page of that name. */
export function shippedPage(name: string): ShippedPage {
  return toShipped(pageNamed(manifest, name));
}

/** Every shipped page. */
export function shippedPages(): ShippedPage[] {
  return manifest.pages.map(toShipped);
}

/** Every page that a person would call a clean one. */
export function cleanPages(): ShippedPage[] {
  return pagesTagged(manifest, 'clean').map(toShipped);
}

function toShipped({ file, text }: PageEntry): ShippedPage {
  return {
    file: path.join(PAGES_DIR, file),
    text: readFileSync(path.join(PAGES_DIR, text), 'utf8'),
  };
}

/** Words as a reader counts them: letters and digits, however composed, whatever the case and the punctuation around them. */
export function wordsOf(text: string): string[] {
  return (
    text
      .normalize('NFC')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}

/** The words of `expected` that are in `found`, each as often as both have it, wherever on the page it stands. */
export function commonWords(expected: string, found: string): string[] {
  const left = new Map<string, number>();
  for (const word of wordsOf(found)) left.set(word, (left.get(word) ?? 0) + 1);
  return wordsOf(expected).filter((word) => {
    const count = left.get(word) ?? 0;
    left.set(word, count - 1);
    return count > 0;
  });
}

/** How well a page was read. */
export interface ReadingScore {
  /** Share of the printed words that were found, each as often as it is printed. */
  readonly found: number;
  /** Words that were found and are not printed. */
  readonly invented: number;
}

/** Compares what was read with what is printed. */
export function scoreReading(printed: string, read: string): ReadingScore {
  const found = commonWords(printed, read).length;
  return { found: found / wordsOf(printed).length, invented: wordsOf(read).length - found };
}

/** Share of the words of `expected` that are in `found`. */
export function recoveredShare(expected: string, found: string): number {
  return scoreReading(expected, found).found;
}

/** The text of a PDF, page by page, as pdftotext (poppler-utils) reads it. */
export async function textOfPdf(file: string): Promise<string[]> {
  return (await outputOf('pdftotext', ['-layout', file, '-'])).split('\f');
}
