import type { PageSettings } from '../profiles/scan-settings.ts';
import type { Fed, PageReplaced, PageScanned, Resumed } from './scan-event.ts';
import type { RecordedPage, ScanRecord } from './scan-record.ts';

/**
 * A page being scanned again. If exactly one sheet is fed completely, an event `replaced` puts the
 * new page in its place. Until then, new pages are spares. A failed call changes nothing.
 */
export interface ScanAgain {
  readonly page: number;
  readonly settings: PageSettings;
  /** Highest page number before the call. */
  readonly after: number;
  /** Warnings about the new sheet. They count only if it replaces the page. */
  readonly warnings: readonly string[];
  readonly before: Pick<ScanRecord, 'state' | 'stage' | 'ended_at' | 'error'>;
  /** Undefined while the call runs. `cut_off`: the service stopped during the call. */
  readonly end?: 'ended' | 'cut_off';
}

export function isSpare({ instead_of }: Pick<PageScanned, 'instead_of'>): boolean {
  return instead_of !== undefined;
}

export function isScanningAgain({ again }: Pick<ScanRecord, 'again'>): boolean {
  return again !== undefined && again.end === undefined;
}

export function afterBeginning(
  record: ScanRecord,
  { page_settings: settings = {} }: Resumed,
  page: number,
): ScanRecord {
  const { state, stage, ended_at, error, pages, spares } = record;
  return {
    ...record,
    state: 'scanning',
    stage: 'scan',
    ended_at: null,
    error: null,
    hold: true,
    has_waited: true,
    again: {
      page,
      settings,
      after: Math.max(0, ...[...pages, ...spares].map(({ number }) => number)),
      warnings: [],
      before: { state, stage, ended_at, error },
    },
  };
}

export function withSpare(
  record: ScanRecord,
  { type: _type, at: _at, ...page }: PageScanned,
): ScanRecord {
  const others = record.spares.filter(({ number }) => number !== page.number);
  return { ...record, spares: [...others, { ...page, scanned_side: page.side }] };
}

/** Keeps `duplex`, because one sheet says nothing about the stack. */
export function afterSheet(record: ScanRecord, { complete, warnings }: Fed): ScanRecord {
  return {
    ...record,
    again: record.again && { ...record.again, warnings },
    ...(complete && { state: 'processing', stage: 'process' }),
  };
}

export function warningsOfSheet(record: ScanRecord): readonly string[] {
  return isScanningAgain(record) ? (record.again?.warnings ?? []) : [];
}

export function afterEnd(record: ScanRecord): ScanRecord {
  const { stage, again } = record;
  return {
    ...record,
    stage: again?.before.stage ?? stage,
    again: again && { ...again, end: 'ended' },
  };
}

/** If the service stopped while a page was scanned again, the scan is still held. */
export function afterCutOff(record: ScanRecord): ScanRecord {
  const { again } = record;
  if (again === undefined || again.end !== undefined) return record;
  return { ...record, ...again.before, again: { ...again, end: 'cut_off' } };
}

/** Puts page `by` in place of `page`. Throws an Error if either is missing. */
export function withReplacement(
  { pages, spares }: Pick<ScanRecord, 'pages' | 'spares'>,
  { page: number, by }: Pick<PageReplaced, 'page' | 'by'>,
): Pick<ScanRecord, 'pages' | 'spares'> {
  const old = pages.find((page) => page.number === number);
  const spare = spares.find((page) => page.number === by);
  const next = spare ?? pages.find((page) => page.number === by && page.replaced);
  if (old === undefined || old.replaced) throw new Error(`there is no page ${number}`);
  if (next === undefined) throw new Error(`there is no page ${by} to replace page ${number}`);
  const { sheet, side, starts_document } = old;
  const current = { ...next, sheet, side, starts_document, replaced: undefined };
  const others = pages.filter((page) => page !== next);
  return {
    pages: others.flatMap((page) => {
      if (page !== old) return [page];
      return [
        { ...old, replaced: true as const, starts_document: undefined },
        spare ? { ...current, stands_for: placeNumber(old) } : current,
      ];
    }),
    spares: spares.filter((page) => page !== spare),
  };
}

/** Returns the number of the page that was first scanned in this place. */
export function placeNumber({
  number,
  stands_for,
}: Pick<RecordedPage, 'number' | 'stands_for'>): number {
  return stands_for ?? number;
}

/** Returns the page in a replaced page's place. Undefined if all backs were fed again instead. */
export function replacementOf(
  pages: readonly RecordedPage[],
  page: RecordedPage,
): RecordedPage | undefined {
  if (!page.replaced) return undefined;
  const place = placeNumber(page);
  return pages.find((other) => !other.replaced && placeNumber(other) === place);
}
