import type { ListedScan, ScanArchive, ScanList } from '../archive/scan-archive.ts';
import { SUMMARY, type ScanSummary } from '../archive/scan-view.ts';
import type { ListRequest } from './requests.ts';

/** Scans that are looked at for one answer: a rare word must not make one request read ten thousand. `next` goes on from there. */
const MAX_LOOKED_AT = 1000;

export interface FoundScans {
  readonly scans: readonly ListedScan[];
  /** The id after which older ones may follow; null where there are none. */
  readonly next: string | null;
}

/** The newest scans that a request asks for. */
export async function findScans(
  archive: Pick<ScanArchive, 'list'>,
  request: ListRequest,
): Promise<FoundScans> {
  const { limit } = request;
  const found: ListedScan[] = [];
  let { before } = request;
  for (let looked = 0; looked < MAX_LOOKED_AT; looked += limit) {
    const { scans, more } = await archive.list(limit, before);
    for (const scan of scans) {
      before = scan.id;
      if (isWanted(scan, request)) found.push(scan);
      const isLast = !more && scan === scans.at(-1);
      if (found.length === limit) return { scans: found, next: isLast ? null : before };
    }
    if (!more) return { scans: found, next: null };
  }
  return { scans: found, next: before ?? null };
}

/** A scan whose events cannot be read may be any: somebody should see it, but not whoever looks for words. */
function isWanted({ id, summary }: ListedScan, { fed, search }: ListRequest): boolean {
  if (fed === true && summary?.page_count === 0 && summary.state !== 'scanning') return false;
  if (search === undefined) return true;
  const text = `${summary?.title ?? ''} ${summary?.profile ?? ''} ${id}`.toLowerCase();
  return text.includes(search.toLowerCase());
}

/** A scan in the answer of GET /scans; of one whose events cannot be read, only the id is known. */
export type ScanSummaryBody =
  | ScanSummary
  | ({ readonly [Field in keyof Omit<ScanSummary, 'scan_id' | 'state'>]: null } & {
      readonly scan_id: string;
      readonly state: 'unreadable';
    });

/** Body of GET /scans. */
export function scanListBody({ scans, more }: ScanList): object {
  return { scans: scans.map(scanSummaryBody), next: more ? (scans.at(-1)?.id ?? null) : null };
}

export function scanSummaryBody({ id, summary }: ListedScan): object {
  return summary ?? { ...UNREADABLE, scan_id: id, state: 'unreadable' };
}

const UNREADABLE = Object.fromEntries(SUMMARY.map((field) => [field, null]));
