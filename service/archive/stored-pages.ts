import { warning } from '../../helpers/warnings.ts';
import { lstat, readdir } from 'node:fs/promises';
import path from 'node:path';
import { messageOf } from '../../helpers/error-code.ts';
import { readTiff } from '../../helpers/tiff-header.ts';
import { pageNumber } from './file-names.ts';
import { isNoPlainFile, unreadableFile } from './scan-file.ts';
import { isDuplex, nextSheet, sheetOfBack } from './sheets.ts';
import type { NewScanEvent } from './scan-event.ts';
import type { ScanRecord } from './scan-record.ts';

type NewPage = Extract<NewScanEvent, { type: 'page' }>;

export interface StoredPages {
  /** Pages that are complete on disk but not in the record, because the service stopped. */
  readonly unrecorded: readonly NewPage[];
  /** Pages that are in the record but missing or incomplete on disk. */
  readonly lost: readonly number[];
  readonly warnings: readonly string[];
  /** Highest page number on disk or in the record; 0 if none. */
  readonly last: number;
}

export type FedRecord = Pick<
  ScanRecord,
  'pages' | 'replacementCandidates' | 'duplex' | 'backs' | 'unmatched' | 'rescan'
>;

/** Throws Failure `insufficient_storage` for an unreadable page, which must not be lost. */
export async function compareStoredPages(
  directory: string,
  record: FedRecord,
): Promise<StoredPages> {
  const names = (await readdir(directory)).filter((name) => pageNumber(name) !== undefined);
  const whole = new Map<string, number>();
  const warnings: string[] = [];
  for (const filename of names.toSorted()) {
    const found = await lookAt(path.join(directory, filename));
    if (typeof found === 'number') whole.set(filename, found);
    else warnings.push(warning('page_not_whole', { file: filename, cause: found }));
  }
  const missing = record.pages.filter(({ filename }) => !names.includes(filename));
  const lost = record.pages.filter(({ filename }) => !whole.has(filename));
  const numbers = [
    ...names.map((name) => pageNumber(name) ?? 0),
    ...[...record.pages, ...record.replacementCandidates].map(({ number }) => number),
  ];
  return {
    unrecorded: unrecordedPages(whole, record),
    lost: lost.map(({ number }) => number),
    warnings: [
      ...missing.map(({ filename }) => warning('page_gone', { file: filename })),
      ...warnings,
    ],
    last: Math.max(0, ...numbers),
  };
}

function unrecordedPages(whole: ReadonlyMap<string, number>, record: FedRecord): NewPage[] {
  const known = [...record.pages, ...record.replacementCandidates];
  const unrecorded: NewPage[] = [];
  for (const [filename, bytes] of whole) {
    if (known.some((page) => page.filename === filename)) continue;
    const number = pageNumber(filename) ?? 0;
    if (record.rescan) {
      const candidate = { sheet: nextSheet(record.pages), side: 'front', filename, bytes } as const;
      unrecorded.push({ type: 'page', number, ...candidate, instead_of: record.rescan.page });
      continue;
    }
    const place = placeOf(number, unrecorded, record);
    unrecorded.push({ type: 'page', number, ...place, filename, bytes });
  }
  return unrecorded;
}

/** Guesses where an unrecorded page belongs, which only the runtime knew for certain. */
function placeOf(
  number: number,
  unrecorded: readonly NewPage[],
  record: FedRecord,
): Pick<NewPage, 'sheet' | 'side'> {
  const { pages, backs } = record;
  if (backs) return { sheet: sheetOfBack(record, backs, unrecorded.length), side: 'back' };
  const known = [...pages, ...unrecorded];
  const before = known.find((page) => page.number === number - 1);
  if (isDuplex(record) && before?.side === 'front') return { sheet: before.sheet, side: 'back' };
  return { sheet: nextSheet(known), side: 'front' };
}

/** Returns the size in bytes, or what is wrong with the file, such as after a power cut. */
async function lookAt(file: string): Promise<number | string> {
  try {
    const found = await lstat(file);
    if (!found.isFile()) return 'it is not a plain file';
    const reading = await readTiff(file);
    return reading.complete ? found.size : reading.reason;
  } catch (error) {
    if (isNoPlainFile(error)) return messageOf(error);
    const advice = `nothing was filed or fed. Check the disk and try again, or move the file out of ${path.dirname(file)} to go on without this page.`;
    throw unreadableFile(file, error, advice);
  }
}
