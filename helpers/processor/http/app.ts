import { Router } from '@koa/router';
import Koa, { type Context, type Next } from 'koa';
import type { Log } from '../../log.ts';
import type { AppParts } from './app-parts.ts';
import { documentRoute } from './document-route.ts';
import { errorAnswers } from './error-answers.ts';
import { pageRoute } from './page-route.ts';

/**
 * The HTTP interface of the processor.
 *
 *   GET  /health      what is installed, and how many workers there are
 *   POST /pages       a scanned page (image/tiff) → a one-page searchable PDF
 *   POST /documents   one-page PDFs (multipart/form-data) → a document
 */
export function createApp(parts: AppParts): Koa {
  const app = new Koa();
  // Koa's own reporter prints whole errors.
  app.silent = true;
  app.on('error', (error: unknown) => parts.log.debug({ err: error }, 'a connection broke'));
  const router = new Router({ strict: true, sensitive: true });
  router.get('/health', async (ctx) => {
    ctx.body = {
      status: 'ok',
      versions: parts.tools.versions,
      languages: await parts.tools.languages(),
      workers: parts.workers,
    };
  });
  router.post('/pages', pageRoute(parts));
  router.post('/documents', documentRoute(parts));
  app.use(accessLog(parts.log));
  app.use(errorAnswers(parts.log));
  app.use(router.routes());
  app.use(router.allowedMethods());
  return app;
}

/** One line for each request; probes come every few seconds and are of no interest. */
function accessLog(log: Log) {
  return async (ctx: Context, next: Next): Promise<void> => {
    const began = performance.now();
    await next();
    const level = ctx.path === '/health' ? 'debug' : 'info';
    const durationMs = Math.round(performance.now() - began);
    log[level]({ method: ctx.method, path: ctx.path, status: ctx.status, durationMs }, 'request');
  };
}
