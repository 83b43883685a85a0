import { Router } from '@koa/router';
import Koa from 'koa';
import { accessLog } from '../../http/access-log.ts';
import { browserDefence } from '../../http/browser-defence.ts';
import { errorAnswers, type ErrorWords } from '../../http/error-answers.ts';
import type { ProcessorHealth } from '../../processor-contract.ts';
import type { AppParts } from './app-parts.ts';
import { documentRoute } from './document-route.ts';
import { pageRoute } from './page-route.ts';
import { isDiskFull } from '../../error-code.ts';
import { storageFull } from '../tools/workspaces.ts';

export const ERROR_WORDS: ErrorWords = {
  endpoints: 'There are /health, /pages and /documents.',
  logName: 'log of the processor',
  failureOf: (error) => (isDiskFull(error) ? storageFull(error) : undefined),
  dropsBodies: true,
};

/**
 * The HTTP interface of the processor.
 *
 *   GET  /health      installed programs and languages, number of workers
 *   POST /pages       a scanned page (image/tiff) → a one-page searchable PDF
 *   POST /documents   page PDFs (multipart/form-data) → a document
 */
export function createApp(parts: AppParts): Koa {
  const app = new Koa();
  // Otherwise Koa prints errors with all their fields.
  app.silent = true;
  app.on('error', (error: unknown) =>
    parts.log.debug({ event: 'connection_broken', err: error }, 'a connection broke'),
  );
  const router = new Router({ strict: true, sensitive: true });
  router.get('/health', (ctx) => {
    ctx.body = healthOf(parts);
  });
  router.post('/pages', pageRoute(parts));
  router.post('/documents', documentRoute(parts));
  app.use(accessLog(parts.log));
  app.use(errorAnswers(parts.log, ERROR_WORDS));
  app.use(browserDefence(parts.allowedHosts));
  app.use(router.routes());
  app.use(router.allowedMethods());
  return app;
}

/** Probes ask every few seconds, so only cached facts are used. */
function healthOf({ tools, workers }: AppParts): ProcessorHealth {
  const { versions, languages } = tools;
  return { status: 'ok', versions, languages: languages(), workers };
}
