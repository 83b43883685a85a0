import type { Router } from '@koa/router';
import type { ScanArchive } from '../../archive/scan-archive.ts';
import type { ScanRecord } from '../../scan/scan-record.ts';
import type { Scans } from '../../scan/scans.ts';
import { jsonBody } from '../json-body.ts';
import { scanDetails, scanSummary } from '../stored-scan-bodies.ts';
import { parseListRequest, parseResumeRequest } from '../stored-scan-requests.ts';

/** How long a caller may read nothing of a file: connections are few, and each holds the file open. */
const STALLED_DOWNLOAD_MS = 60_000;

/** GET /scans, /scans/{scan_id} and its files, and POST /scans/{scan_id}/resume: readings of the scan directories. */
export function storedScanRoutes(router: Router, archive: ScanArchive, scans: Scans): void {
  /** A scan may end while its record is read: one that seems to be under way and is not run by anybody is read again. */
  async function upToDate(
    id: string,
    record: ScanRecord,
  ): Promise<{ readonly record: ScanRecord; readonly isRunning: boolean }> {
    if (record.state === 'finished' || record.state === 'failed' || scans.isRunning(id)) {
      return { record, isRunning: scans.isRunning(id) };
    }
    const again = await archive.find(id).catch(() => undefined);
    return { record: again?.record ?? record, isRunning: scans.isRunning(id) };
  }

  router.get('/scans', async (ctx) => {
    const { limit, before } = parseListRequest(ctx.query);
    const page = await archive.list(limit, before);
    const summaries = await Promise.all(
      page.scans.map(async ({ id, record }) => {
        if (!record) return scanSummary({ id, record }, false);
        const now = await upToDate(id, record);
        return scanSummary({ id, record: now.record }, now.isRunning);
      }),
    );
    ctx.body = { scans: summaries, next: page.more ? (summaries.at(-1)?.scan_id ?? null) : null };
  });

  router.get('/scans/:scan_id', async (ctx) => {
    const found = await archive.find(ctx.params['scan_id'] ?? '');
    const { record, isRunning } = await upToDate(found.record.scan_id, found.record);
    ctx.body = scanDetails(record, isRunning);
  });

  router.get('/scans/:scan_id/files/:name', async (ctx) => {
    const name = ctx.params['name'] ?? '';
    const file = await archive.openFile(ctx.params['scan_id'] ?? '', name);
    ctx.type = file.type;
    ctx.set('Content-Disposition', `inline; filename="${ctx.params['scan_id']}-${name}"`);
    // A file that grows meanwhile must not say more than the length that was announced.
    ctx.body = file.handle.createReadStream({ end: Math.max(0, file.bytes - 1) });
    ctx.res.setTimeout(STALLED_DOWNLOAD_MS, () => ctx.res.destroy());
    // A stream has no length of its own: setting the body takes an earlier one away.
    ctx.length = file.bytes;
  });

  router.post('/scans/:scan_id/resume', jsonBody(), async (ctx) => {
    const redelivery = parseResumeRequest(ctx.request.body);
    ctx.body = await scans.resume(ctx.params['scan_id'] ?? '', redelivery);
  });
}
