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

export interface ShippedPage {
  readonly file: string;
  readonly text: string;
}

export function shippedPage(name: string): ShippedPage {
  return toShipped(pageNamed(manifest, name));
}

export function shippedPages(): ShippedPage[] {
  return manifest.pages.map(toShipped);
}

export function cleanPages(): ShippedPage[] {
  return pagesTagged(manifest, 'clean').map(toShipped);
}

function toShipped({ file, text }: PageEntry): ShippedPage {
  return {
    file: path.join(PAGES_DIR, file),
    text: readFileSync(path.join(PAGES_DIR, text), 'utf8'),
  };
}

/** Splits text into words of lower-case letters and digits, for comparison. */
export function wordsOf(text: string): string[] {
  return (
    text
      .normalize('NFC')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}

/** The words that occur in both texts, in any order. Repeated words count each time. */
export function commonWords(expected: string, found: string): string[] {
  const left = new Map<string, number>();
  for (const word of wordsOf(found)) left.set(word, (left.get(word) ?? 0) + 1);
  return wordsOf(expected).filter((word) => {
    const count = left.get(word) ?? 0;
    left.set(word, count - 1);
    return count > 0;
  });
}

export interface ReadingScore {
  /** Share of the printed words that were found; repeated words count each time. */
  readonly found: number;
  readonly invented: number;
  readonly words: number;
  /** Amounts such as 12.50: how many are printed, found, and found but not printed. */
  readonly amounts: AmountScore;
}

export interface AmountScore {
  readonly printed: number;
  readonly found: number;
  readonly invented: number;
}

/** Compares recognized with printed text. Ignores words shorter than `least` characters. */
export function scoreReading(printed: string, read: string, least = 1): ReadingScore {
  const long = (text: string): string[] => wordsOf(text).filter((word) => word.length >= least);
  const [expected, words] = [long(printed), long(read)];
  const found = commonWords(expected.join(' '), words.join(' ')).length;
  return {
    found: found / expected.length,
    invented: words.length - found,
    words: expected.length,
    amounts: scoreAmounts(printed, read),
  };
}

const AMOUNT = /\d+\.\d\d/g;

function scoreAmounts(printed: string, read: string): AmountScore {
  const amounts = printed.match(AMOUNT) ?? [];
  const left: string[] = read.match(AMOUNT) ?? [];
  const all = left.length;
  for (const amount of amounts) {
    const place = left.indexOf(amount);
    if (place >= 0) left.splice(place, 1);
  }
  return { printed: amounts.length, found: all - left.length, invented: left.length };
}

export function recoveredShare(expected: string, found: string): number {
  return scoreReading(expected, found).found;
}

/** The text of each page of a PDF, by pdftotext (poppler-utils). */
export async function textOfPdf(file: string): Promise<string[]> {
  return (await outputOf('pdftotext', ['-layout', file, '-'])).split('\f');
}
