import type { Router } from '@koa/router';
import { createHash } from 'node:crypto';
import type { Context } from 'koa';
import type { PageFile, PageFiles } from '../page-files.ts';

/** Allows only the service's own files and API, and the inline scripts of its own HTML. */
const pagePolicy = (html: string): string =>
  [
    "default-src 'none'",
    ["script-src 'self'", ...inlineScripts(html)].join(' '),
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

function inlineScripts(html: string): string[] {
  const scripts = [...html.matchAll(/<script>(.*?)<\/script>/gsu)].map(([, code = '']) => code);
  return scripts.map((code) => `'sha256-${createHash('sha256').update(code).digest('base64')}'`);
}

/** Needs no caller token. The page itself asks for one. */
export function pageRoutes(router: Router, files: PageFiles): void {
  const policy = pagePolicy(String(files.get('index.html')?.content));
  router.get('/', (ctx, next) => send(ctx, files.get('index.html'), policy) ?? next());
  router.get(
    '/page/{*path}',
    (ctx, next) => send(ctx, files.get(ctx.params['path'] ?? ''), policy) ?? next(),
  );
}

function send(ctx: Context, file: PageFile | undefined, policy: string): true | undefined {
  if (file === undefined) return undefined;
  ctx.set({
    'Content-Security-Policy': policy,
    'Referrer-Policy': 'no-referrer',
    // Lets the browser notice a new version of the page.
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
