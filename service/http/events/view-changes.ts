import { isDeepStrictEqual } from 'node:util';
import { detailsOf, type ScanDetails } from '../../archive/scan-details.ts';
import type { ScanRecord } from '../../archive/scan-record.ts';

/** What of GET /scans/{scan_id} a screen shows of a scan at every moment: short, whatever the scan holds. */
export const VIEW_FIELDS = [
  'scan_id',
  'profile',
  'state',
  'stage',
  'page_count',
  'recognized_count',
  'document_count',
  'failed_deliveries',
  'error',
  'duration_ms',
  'trigger',
  'kind',
  'upload',
] as const;

/** What grows with the stack. */
export const VIEW_LISTS = ['page_states', 'documents', 'warnings', 'warning_details'] as const;

/** A part of a list that is replaced: `removed` items from position `from` on by the `added` ones. */
export interface ListChange {
  readonly from: number;
  readonly removed: number;
  readonly added: readonly unknown[];
}

/** A list as it is now, or what changed of it; without it nothing did. */
type ChangedLists = Readonly<
  Partial<Record<(typeof VIEW_LISTS)[number], readonly unknown[] | ListChange>>
>;

export type ViewChanges = Pick<ScanDetails, (typeof VIEW_FIELDS)[number]> & ChangedLists;

/**
 * What a screen shows after an event that it did not before: each message is as long as what changed, so that a stack of any size can
 * be watched. Without `before`, all of it.
 */
export function viewChanges(after: ScanRecord, before?: ScanRecord): ViewChanges {
  const isOpen = after.ended_at === null;
  const now = detailsOf(after, isOpen);
  const then = before && detailsOf(before, before.ended_at === null);
  const lists = VIEW_LISTS.flatMap((name) => {
    const change = then ? changeOf(then[name], now[name]) : now[name];
    return change === undefined ? [] : [[name, change]];
  });
  const fields = VIEW_FIELDS.map((name) => [name, now[name]]);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- entries lose the names of their fields
  return Object.fromEntries([...fields, ...lists]) as ViewChanges;
}

/** Undefined where nothing changed. */
function changeOf(before: readonly unknown[], after: readonly unknown[]): ListChange | undefined {
  const shorter = Math.min(before.length, after.length);
  let from = 0;
  while (from < shorter && isDeepStrictEqual(before[from], after[from])) from += 1;
  let kept = 0;
  while (kept < shorter - from && isDeepStrictEqual(before.at(-1 - kept), after.at(-1 - kept))) {
    kept += 1;
  }
  const removed = before.length - kept - from;
  const added = after.slice(from, after.length - kept);
  return removed === 0 && added.length === 0 ? undefined : { from, removed, added };
}
