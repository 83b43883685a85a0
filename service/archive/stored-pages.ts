import { lstat, readdir } from 'node:fs/promises';
import path from 'node:path';
import { readTiff } from '../../helpers/tiff-header.ts';
import { pageNumber } from './file-names.ts';
import type { NewScanEvent } from './scan-event.ts';
import type { RecordedPage, ScanRecord } from './scan-record.ts';

type NewPage = Extract<NewScanEvent, { type: 'page' }>;

/** How the pages on disk differ from those recorded. */
export interface StoredPages {
  /** Whole pages that are not recorded: the service was stopped before it could write them down. */
  readonly unrecorded: readonly NewPage[];
  /** Recorded pages that are no longer on disk, or not whole. */
  readonly lost: readonly number[];
  /** What a person should know about pages that cannot be used. */
  readonly warnings: readonly string[];
  /** Highest number that a page has or had, whole or not; 0 where there is none. New pages are numbered after it. */
  readonly last: number;
}

/** Compares the pages in a scan directory with the record. Rejects with the file system's error. */
export async function compareStoredPages(
  directory: string,
  record: Pick<ScanRecord, 'pages' | 'duplex'>,
): Promise<StoredPages> {
  const names = (await readdir(directory)).filter((name) => pageNumber(name) !== undefined);
  const whole = new Map<string, number>();
  const warnings: string[] = [];
  for (const filename of names.toSorted()) {
    const found = await lookAt(path.join(directory, filename));
    if (typeof found === 'number') whole.set(filename, found);
    else warnings.push(`${filename} is left out because it is not whole: ${found}`);
  }
  const missing = record.pages.filter(({ filename }) => !names.includes(filename));
  const lost = record.pages.filter(({ filename }) => !whole.has(filename));
  const numbers = [
    ...names.map((name) => pageNumber(name) ?? 0),
    ...record.pages.map((p) => p.number),
  ];
  return {
    unrecorded: unrecordedPages(whole, record),
    lost: lost.map(({ number }) => number),
    warnings: [...missing.map(({ filename }) => `${filename} is no longer on disk`), ...warnings],
    last: Math.max(0, ...numbers),
  };
}

/** The sheet after the last one of a scan. */
export function nextSheet(pages: readonly Pick<RecordedPage, 'sheet'>[]): number {
  return Math.max(0, ...pages.map(({ sheet }) => sheet)) + 1;
}

/**
 * Only the scanner runtime knows for certain whether a page is a back. A page that it could not announce is one when the
 * page before it is a front and the scan is known to be duplex.
 */
function unrecordedPages(
  whole: ReadonlyMap<string, number>,
  {
    pages,
    duplex = pages.some(({ side }) => side === 'back'),
  }: Pick<ScanRecord, 'pages' | 'duplex'>,
): NewPage[] {
  const known: Pick<RecordedPage, 'number' | 'sheet' | 'side' | 'filename'>[] = [...pages];
  const unrecorded: NewPage[] = [];
  for (const [filename, bytes] of whole) {
    if (pages.some((page) => page.filename === filename)) continue;
    const number = pageNumber(filename) ?? 0;
    const before = known.find((page) => page.number === number - 1);
    const isBack = duplex && before?.side === 'front';
    const page: NewPage = {
      type: 'page',
      number,
      sheet: isBack ? before.sheet : nextSheet(known),
      side: isBack ? 'back' : 'front',
      filename,
      bytes,
    };
    known.push(page);
    unrecorded.push(page);
  }
  return unrecorded;
}

/** The size of a page's file in bytes, or what is wrong with it: a power cut may leave a truncated one. */
async function lookAt(file: string): Promise<number | string> {
  try {
    const found = await lstat(file);
    if (!found.isFile()) return 'it is no plain file';
    const reading = await readTiff(file);
    return reading.complete ? found.size : reading.reason;
  } catch (error) {
    return error instanceof Error ? error.message : 'it cannot be read';
  }
}
