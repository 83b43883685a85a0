import type { ListedScan, ScanList } from '../archive/scan-archive.ts';
import type { ScanSummary } from '../archive/scan-view.ts';

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

export function scanSummaryBody({ id, summary }: ListedScan): ScanSummaryBody {
  return summary ?? { ...UNREADABLE, scan_id: id };
}

const UNREADABLE = {
  state: 'unreadable',
  profile: null,
  started_at: null,
  ended_at: null,
  page_count: null,
  document_count: null,
  failed_deliveries: null,
  title: null,
  error: null,
} as const;
