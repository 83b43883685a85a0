import { access } from 'node:fs/promises';
import path from 'node:path';
import { Failure } from '../failure.ts';
import type { DeviceRequest, ScannedPage, ScanRequest } from '../ipc/messages.ts';
import { checkPage, type PagePlace } from './page-check.ts';
import { pageName } from '../page-names.ts';
import { fromDisk, syncToDisk } from './output-directory.ts';

export interface PagesOptions {
  readonly request: DeviceRequest;
  readonly duplex: boolean;
  readonly freeBytes: (directory: string) => Promise<number>;
  /** Time limit for file operations per page, in milliseconds. */
  readonly diskMs: number;
  /** Called in order, once each page is synced to disk. */
  readonly onPage: (page: ScannedPage) => void;
  /** A page is wrong or cannot be stored, so the scan must end. */
  readonly onFailure: (failure: Failure) => void;
}

export interface ScannedPages {
  readonly next: () => number;
  /** Checks a finished file. Resolves when the next sheet may be fed. Never rejects. */
  readonly take: (filename: string) => Promise<void>;
  /** Resolves when every page is synced to disk. */
  readonly finish: () => Promise<PagesEnd>;
}

export interface PagesEnd {
  readonly count: number;
  /** Pages by size, as text. Only sizes that were not requested. */
  readonly otherSizes: ReadonlyMap<string, readonly number[]>;
}

/** Checks each page at once, and syncs it while the next one is scanned. */
export function createScannedPages({
  request,
  duplex,
  freeBytes,
  diskMs,
  onPage,
  onFailure,
}: PagesOptions): ScannedPages {
  const { directory, first_page } = request;
  let next = first_page;
  let count = 0;
  let synced = Promise.resolve();
  const otherSizes = new Map<string, number[]>();

  const keep = async (page: ScannedPage): Promise<void> => {
    try {
      await fromDisk(syncToDisk(directory, page.filename), directory, diskMs);
      count += 1;
      onPage(page);
    } catch (error) {
      onFailure(asFailure(error, page.number));
    }
  };

  const take = async (filename: string): Promise<void> => {
    if (filename !== pageName(next)) return;
    try {
      const place = placeOf(next, request, duplex);
      const checked = checkPage(request, place, freeBytes);
      const { page, failure, otherSize } = await fromDisk(checked, directory, diskMs);
      next += 1;
      if (otherSize) note(otherSizes, sizeText(otherSize), page.number);
      synced = synced.then(() => keep(page));
      if (failure) onFailure(failure);
    } catch (error) {
      onFailure(asFailure(error, next));
    }
  };

  return {
    next: () => next,
    take,
    finish: async () => {
      // A killed scanimage may have completed a page that it did not report.
      const unsaid = pageName(next);
      const found = exists(path.join(directory, unsaid));
      if (await fromDisk(found, directory, diskMs).catch(() => false)) await take(unsaid);
      await synced;
      return { count, otherSizes };
    },
  };
}

function placeOf(
  number: number,
  { first_page, first_sheet }: ScanRequest,
  duplex: boolean,
): PagePlace {
  const index = number - first_page;
  if (!duplex) return { number, sheet: first_sheet + index, side: 'front' };
  const sheet = first_sheet + Math.floor(index / 2);
  return { number, sheet, side: index % 2 === 0 ? 'front' : 'back' };
}

function note(sizes: Map<string, number[]>, size: string, page: number): void {
  sizes.set(size, [...(sizes.get(size) ?? []), page]);
}

function sizeText({ width_mm, height_mm }: { width_mm: number; height_mm: number }): string {
  return `${width_mm.toFixed(1)} x ${height_mm.toFixed(1)} mm`;
}

function asFailure(error: unknown, page: number): Failure {
  if (error instanceof Failure) return error;
  const reason = error instanceof Error ? error.message : 'unknown';
  const message = `Page ${page} cannot be written to disk. Check the file system of the output directory. (${reason})`;
  return new Failure('scanner_error', message, { cause: error });
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
