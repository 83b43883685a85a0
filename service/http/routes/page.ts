import type { Router } from '@koa/router';
import type { Context } from 'koa';
import type { PageFile, PageFiles } from '../page-files.ts';

/**
 * The control page may only load its own files and call this service. It cannot run inline scripts.
 */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

/** Serves the control page without authorization. The page itself asks for the token. */
export function pageRoutes(router: Router, files: PageFiles): void {
  router.get('/', (ctx, next) => send(ctx, files.get('index.html')) ?? next());
  router.get(
    '/page/{*path}',
    (ctx, next) => send(ctx, files.get(ctx.params['path'] ?? '')) ?? next(),
  );
}

function send(ctx: Context, file: PageFile | undefined): true | undefined {
  if (file === undefined) return undefined;
  ctx.set({
    'Content-Security-Policy': PAGE_POLICY,
    'Referrer-Policy': 'no-referrer',
    // Shows a new version of the service at the next load.
    'Cache-Control': 'no-cache',
    Vary: 'Accept-Encoding',
    ETag: `W/"${file.etag}"`,
  });
  ctx.type = file.type;
  ctx.status = 200;
  if (ctx.fresh) {
    ctx.status = 304;
    return true;
  }
  if (file.gzipped && ctx.acceptsEncodings('gzip', 'identity') === 'gzip') {
    ctx.set('Content-Encoding', 'gzip');
    ctx.body = file.gzipped;
  } else ctx.body = file.content;
  return true;
}
