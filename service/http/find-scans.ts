import type { ListedScan, ScanArchive } from '../archive/scan-archive.ts';
import type { ListRequest } from './stored-scan-requests.ts';

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
