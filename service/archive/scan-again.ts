import type { Fed, PageReplaced, PageScanned, Resumed } from './scan-event.ts';
import type { RecordedPage, ScanRecord } from './scan-record.ts';

export function isCandidate({ instead_of }: Pick<PageScanned, 'instead_of'>): boolean {
  return instead_of !== undefined;
}

export function isScanningAgain({ rescan }: Pick<ScanRecord, 'rescan'>): boolean {
  return rescan !== undefined && rescan.end === undefined;
}

export function afterBeginning(
  record: ScanRecord,
  { page_settings: settings = {} }: Resumed,
  page: number,
): ScanRecord {
  const { state, stage, ended_at, error, pages, replacementCandidates } = record;
  return {
    ...record,
    state: 'scanning',
    stage: 'scan',
    ended_at: null,
    error: null,
    hold: true,
    has_waited: true,
    rescan: {
      page,
      settings,
      after: Math.max(0, ...[...pages, ...replacementCandidates].map(({ number }) => number)),
      warnings: [],
      before: { state, stage, ended_at, error },
    },
  };
}

export function withCandidate(
  record: ScanRecord,
  { type: _type, at: _at, ...page }: PageScanned,
): ScanRecord {
  const others = record.replacementCandidates.filter(({ number }) => number !== page.number);
  return { ...record, replacementCandidates: [...others, { ...page, scanned_side: page.side }] };
}

/** Keeps `duplex`, because one sheet says nothing about the stack. */
export function afterSheet(record: ScanRecord, { complete, warnings }: Fed): ScanRecord {
  return {
    ...record,
    rescan: record.rescan && { ...record.rescan, warnings },
    ...(complete && { state: 'processing', stage: 'process' }),
  };
}

export function warningsOfSheet(record: ScanRecord): readonly string[] {
  return isScanningAgain(record) ? (record.rescan?.warnings ?? []) : [];
}

export function afterEnd(record: ScanRecord): ScanRecord {
  const { stage, rescan } = record;
  return {
    ...record,
    stage: rescan?.before.stage ?? stage,
    rescan: rescan && { ...rescan, end: 'ended' },
  };
}

/** If the service stopped while a page was scanned again, the scan is still held. */
export function afterCutOff(record: ScanRecord): ScanRecord {
  const { rescan } = record;
  if (rescan === undefined || rescan.end !== undefined) return record;
  return { ...record, ...rescan.before, rescan: { ...rescan, end: 'cut_off' } };
}

/** Puts page `by` in place of `page`. Throws an Error if either is missing. */
export function withReplacement(
  { pages, replacementCandidates }: Pick<ScanRecord, 'pages' | 'replacementCandidates'>,
  { page: number, by }: Pick<PageReplaced, 'page' | 'by'>,
): Pick<ScanRecord, 'pages' | 'replacementCandidates'> {
  const old = pages.find((page) => page.number === number);
  const candidate = replacementCandidates.find((page) => page.number === by);
  const next = candidate ?? pages.find((page) => page.number === by && page.replaced);
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
        candidate ? { ...current, original_number: placeNumber(old) } : current,
      ];
    }),
    replacementCandidates: replacementCandidates.filter((page) => page !== candidate),
  };
}

/** Returns the number of the page that was first scanned in this place. */
export function placeNumber({
  number,
  original_number,
}: Pick<RecordedPage, 'number' | 'original_number'>): number {
  return original_number ?? number;
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
