import { Router } from '@koa/router';
import Koa from 'koa';
import type { Log } from '../../helpers/log.ts';
import type { ScanArchive } from '../archive/scan-archive.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { ProfileStore } from '../profiles/store.ts';
import type { Scans } from '../scan/call/scans.ts';
import type { ScannerClient } from '../scanner/scanner-client.ts';
import { accessLog } from '../../helpers/http/access-log.ts';
import { errorAnswers } from '../../helpers/http/error-answers.ts';
import { authorization } from './authorization.ts';
import { browserDefence, securityHeaders } from '../../helpers/http/browser-defence.ts';
import type { CallerToken } from './caller-token.ts';
import type { ScanWatchers } from './events/scan-watchers.ts';
import type { OpenApi } from './open-api.ts';
import type { PageFiles } from './page-files.ts';
import { docsRoutes } from './routes/docs.ts';
import { operatorRoutes, type OperatorParts } from './routes/operator.ts';
import { pageRoutes } from './routes/page.ts';
import { previewRoutes } from './routes/previews.ts';
import { profileRoutes, type ProfileRouteParts } from './routes/profiles.ts';
import { scanEventsRoute } from './routes/scan-events.ts';
import { scanRoutes } from './routes/scan.ts';
import { sessionRoutes } from './routes/session.ts';
import { scanEditRoutes, storedScanRoutes } from './routes/stored-scans.ts';
import { setUpRoutes, type SetUpParts } from './routes/set-up.ts';
import {
  jobRoutes,
  metricsRoute,
  systemRoutes,
  type RuntimeCheckOptions,
  type Version,
} from './routes/system.ts';
import { createWrongTokens } from './wrong-tokens.ts';

export interface AppParts extends SetUpParts, ProfileRouteParts {
  /** Undefined if set-up in the browser is switched off. */
  readonly operator: OperatorParts | undefined;
  readonly profiles: ProfileStore;
  readonly scans: Scans;
  readonly archive: ScanArchive;
  readonly watchers: ScanWatchers;
  readonly metrics: Pick<Metrics, 'contentType' | 'render'> | undefined;
  readonly scanner: ScannerClient;
  readonly callerToken: CallerToken;
  readonly openApi: OpenApi;
  readonly page: PageFiles;
  readonly version: Version;
  readonly runtimeCheck?: RuntimeCheckOptions;
  readonly allowedHosts: readonly string[];
  readonly log: Log;
}

const WORDS = { endpoints: 'See /docs for the available endpoints.', logName: 'service log' };

export function createApp(parts: AppParts): Koa {
  const app = new Koa();
  // Koa would log whole errors. `errorAnswers` logs only their safe parts.
  app.silent = true;
  app.on('error', (error: unknown) =>
    parts.log.debug({ event: 'connection_broke', err: error }, 'a connection broke'),
  );
  app.use(accessLog(parts.log));
  app.use(securityHeaders);
  app.use(errorAnswers(parts.log, WORDS));
  app.use(browserDefence(parts.allowedHosts));
  for (const router of createRouters(parts)) {
    app.use(router.routes());
    app.use(router.allowedMethods());
  }
  return app;
}

export function createRouters(parts: AppParts): Router[] {
  const open = new Router({ strict: true, sensitive: true });
  systemRoutes(open, parts);
  docsRoutes(open, parts.openApi);
  jobRoutes(open);
  pageRoutes(open, parts.page);
  const wrongTokens = createWrongTokens();
  sessionRoutes(open, parts.callerToken, wrongTokens);
  operatorRoutes(open, parts.operator);
  const guarded = new Router({ strict: true, sensitive: true });
  guarded.use(authorization(parts.callerToken, wrongTokens));
  profileRoutes(guarded, parts);
  setUpRoutes(guarded, parts);
  scanRoutes(guarded, parts);
  storedScanRoutes(guarded, parts);
  scanEditRoutes(guarded, parts);
  scanEventsRoute(guarded, parts);
  previewRoutes(guarded, parts.archive);
  metricsRoute(guarded, parts.metrics);
  return [open, guarded];
}
