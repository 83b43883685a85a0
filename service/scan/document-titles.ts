import type { ScanRecord } from '../archive/scan-record.ts';
import { numberedTitle } from '../destinations/title.ts';
import { documentTitle } from '../profiles/title-template.ts';

/** The title of one of `count` documents of a scan, `number` counted from 1. */
export function titleOf(
  { scan_id, started_at, settings, request }: ScanRecord,
  number: number,
  count: number,
): string {
  const asked = request.title;
  if (asked !== undefined) return count === 1 ? asked : numberedTitle(asked, number, count);
  return documentTitle(settings.title, {
    profile: settings.name,
    scan_id,
    started_at: new Date(started_at),
    number,
    count,
  });
}
