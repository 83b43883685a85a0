import type { Router } from '@koa/router';
import { pageName } from '../../archive/file-names.ts';
import type { ScanArchive } from '../../archive/scan-archive.ts';
import { parsePreviewQuery } from '../requests.ts';
import { createPreviews } from '../../preview/previews.ts';

/** GET /scans/{scan_id}/pages/{page}/preview. */
export function previewRoutes(router: Router, archive: ScanArchive): void {
  const previews = createPreviews();
  router.get('/scans/:scan_id/pages/:page/preview', async (ctx) => {
    const { scan_id: id = '', page = '' } = ctx.params;
    const { size } = parsePreviewQuery(ctx.query);
    const name = /^[1-9]\d*$/.test(page) ? pageName(Number(page)) : '';
    const { handle, bytes } = await archive.openFile(id, name);
    try {
      const { mtimeMs } = await handle.stat();
      // The browser keeps the preview, but asks each time whether it has changed.
      ctx.set('Cache-Control', 'private, no-cache');
      ctx.type = 'image/png';
      ctx.status = 200;
      ctx.etag = `${bytes}-${mtimeMs}`;
      if (ctx.fresh) ctx.status = 304;
      else
        ctx.body = await previews.of({
          key: `${id}/${name}/${size}/${ctx.etag}`,
          handle,
          bytes,
          size,
        });
    } finally {
      await handle.close();
    }
  });
}
