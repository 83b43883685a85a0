import type { Router } from '@koa/router';
import type { ScanArchive } from '../../archive/scan-archive.ts';
import type { Scans } from '../../scan/scans.ts';
import { jsonBody } from '../json-body.ts';
import { scanDetails, scanSummary } from '../stored-scan-bodies.ts';
import { parseListRequest, parseResumeRequest } from '../stored-scan-requests.ts';

/** GET /scans, /scans/{scan_id} and its files, and POST /scans/{scan_id}/resume: readings of the scan directories. */
export function storedScanRoutes(router: Router, archive: ScanArchive, scans: Scans): void {
  router.get('/scans', async (ctx) => {
    const { limit, before } = parseListRequest(ctx.query);
    const page = await archive.list(limit, before);
    const summaries = page.scans.map((scan) => scanSummary(scan, scans.isRunning(scan.id)));
    ctx.body = { scans: summaries, next: page.more ? (summaries.at(-1)?.scan_id ?? null) : null };
  });

  router.get('/scans/:scan_id', async (ctx) => {
    const { record } = await archive.find(ctx.params['scan_id'] ?? '');
    ctx.body = scanDetails(record, scans.isRunning(record.scan_id));
  });

  router.get('/scans/:scan_id/files/:name', async (ctx) => {
    const name = ctx.params['name'] ?? '';
    const file = await archive.openFile(ctx.params['scan_id'] ?? '', name);
    ctx.type = file.type;
    ctx.length = file.bytes;
    ctx.set('Content-Disposition', `inline; filename="${ctx.params['scan_id']}-${name}"`);
    // A file that grows meanwhile must not say more than the length that was announced.
    ctx.body = file.handle.createReadStream({ end: Math.max(0, file.bytes - 1) });
    ctx.length = file.bytes;
  });

  router.post('/scans/:scan_id/resume', jsonBody(), async (ctx) => {
    const redelivery = parseResumeRequest(ctx.request.body);
    ctx.body = await scans.resume(ctx.params['scan_id'] ?? '', redelivery);
  });
}
