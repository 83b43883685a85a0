import { isDeepStrictEqual } from 'node:util';
import { shownDetailsOf, type ShownDetails } from '../../archive/scan-details.ts';
import type { ScanRecord } from '../../archive/scan-record.ts';
import { explainedWarnings } from '../../archive/scan-view.ts';

/** Fields of GET /scans/{scan_id} that every event has. Their size is limited. */
export const VIEW_FIELDS = [
  'scan_id',
  'profile',
  'state',
  'stage',
  'page_count',
  'kept_page_count',
  'recognized_count',
  'document_count',
  'failed_deliveries',
  'title',
  'error',
  'duration_ms',
  'trigger',
  'kind',
  'hold',
  'has_waited',
  'upload',
] as const;

/** Only the first event of a call has these, since they hardly change. */
export const VIEW_SETTINGS = ['settings', 'asked_settings'] as const;

/** Events contain only the changes of these lists, which grow with the stack. */
export const VIEW_LISTS = ['page_states', 'documents', 'warnings', 'warning_details'] as const;

/** Replaces `removed` items from index `from` by `added`. */
export interface ListChange<Item = unknown> {
  readonly from: number;
  readonly removed: number;
  readonly added: readonly Item[];
}

type Change<Item> = readonly Item[] | ListChange<Item> | undefined;

type ChangedLists = { readonly [Name in (typeof VIEW_LISTS)[number]]?: Change<unknown> };

export type ViewChanges = Pick<ShownDetails, (typeof VIEW_FIELDS)[number]> &
  Partial<Pick<ShownDetails, (typeof VIEW_SETTINGS)[number]>> &
  ChangedLists;

/** Returns what changed in the view. Without `before`, the whole view. */
export function viewChanges(after: ScanRecord, before?: ScanRecord): ViewChanges {
  const isOpen = after.ended_at === null;
  const now = shownDetailsOf(after, isOpen);
  const then = before && shownDetailsOf(before, before.ended_at === null);
  const warnings = changeOf(then?.warnings, now.warnings);
  const lists = {
    page_states: changeOf(then?.page_states, now.page_states),
    documents: changeOf(then?.documents, now.documents),
    warnings,
    warning_details: explainedChange(warnings),
  };
  const changed = Object.entries(lists).filter(([, change]) => change !== undefined);
  const fields = VIEW_FIELDS.map((name) => [name, now[name]]);
  const settings = VIEW_SETTINGS.filter((name) => !isDeepStrictEqual(then?.[name], now[name]));
  const chosen = settings.map((name) => [name, now[name]]);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- entries lose the names of their fields
  return Object.fromEntries([...fields, ...chosen, ...changed]) as ViewChanges;
}

/** Explains only new warnings. The others were explained before. */
function explainedChange(warnings: Change<string>): Change<unknown> {
  if (warnings === undefined) return undefined;
  return 'added' in warnings
    ? { ...warnings, added: explainedWarnings(warnings.added) }
    : explainedWarnings(warnings);
}

function changeOf<Item>(before: readonly Item[] | undefined, after: readonly Item[]): Change<Item> {
  if (!before) return after;
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
