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

/** Words as a reader counts them: letters and digits, whatever the case and the punctuation around them. */
export function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Share of the words of `expected` that are in `found`, each as often as it is expected. */
export function recoveredShare(expected: string, found: string): number {
  const counts = new Map<string, number>();
  for (const word of wordsOf(found)) counts.set(word, (counts.get(word) ?? 0) + 1);
  const words = wordsOf(expected);
  const recovered = words.filter((word) => {
    const left = counts.get(word) ?? 0;
    counts.set(word, left - 1);
    return left > 0;
  });
  return recovered.length / words.length;
}

/** The text of a PDF, page by page, as pdftotext (poppler-utils) reads it. */
export async function textOfPdf(file: string): Promise<string[]> {
  return (await outputOf('pdftotext', ['-layout', file, '-'])).split('\f');
}
