import type { Router } from '@koa/router';
import { Failure } from '../../../helpers/failure.ts';
import type { Metrics } from '../../metrics/metrics.ts';
import type { ProfileStore } from '../../profiles/store.ts';
import type { ScannerClient } from '../../scanner/scanner-client.ts';

/** The limit of the runtime's health check (docs/specification.md §8). */
const CHECK_MS = 3000;

/** Within this time, callers share an answer, so that polling costs little. */
const REUSE_MS = 250;

export interface RuntimeCheckOptions {
  readonly checkMs?: number;
  readonly reuseMs?: number;
}

export interface SystemParts {
  readonly profiles: ProfileStore;
  readonly scanner: ScannerClient;
  readonly version: Version;
  readonly runtimeCheck?: RuntimeCheckOptions;
}

export interface Version {
  readonly version: string;
  readonly commit: string;
  readonly built_at: string;
}

/** GET /health, /ready and /version. /ready needs a profile and the scanner runtime. */
export function systemRoutes(router: Router, parts: SystemParts): void {
  const runtimeAnswers = createRuntimeCheck(parts.scanner, parts.runtimeCheck);

  router.get('/health', (ctx) => {
    ctx.body = { status: 'ok' };
  });

  router.get('/version', (ctx) => {
    ctx.body = parts.version;
  });

  router.get('/ready', async (ctx) => {
    if (parts.profiles.list().length === 0) throw notReady('no_profiles_loaded');
    if (!(await runtimeAnswers())) throw notReady('scanner_runtime_unreachable');
    ctx.body = { status: 'ready' };
  });
}

function createRuntimeCheck(
  scanner: Pick<ScannerClient, 'health'>,
  { checkMs = CHECK_MS, reuseMs = REUSE_MS }: RuntimeCheckOptions = {},
): () => Promise<boolean> {
  let asking: Promise<boolean> | undefined;
  let answeredAt = -Infinity;

  async function ask(): Promise<boolean> {
    try {
      await scanner.health(AbortSignal.timeout(checkMs));
      answeredAt = performance.now();
      return true;
    } catch {
      return false;
    } finally {
      asking = undefined;
    }
  }

  return async () => performance.now() - answeredAt < reuseMs || (asking ??= ask());
}

export const NOT_READY = {
  no_profiles_loaded:
    'No scan profile is loaded. Put one into the profiles directory; GET /profiles lists what is wrong with the files there.',
  scanner_runtime_unreachable:
    'The scanner runtime does not answer. Check that it is running, and see its log.',
};

function notReady(reason: keyof typeof NOT_READY): Failure {
  return new Failure(reason, NOT_READY[reason], { facts: { status: 'not_ready', reason } });
}

/** GET /metrics, for Prometheus. Answers 404 if metrics are switched off. */
export function metricsRoute(
  router: Router,
  metrics: Pick<Metrics, 'contentType' | 'render'> | undefined,
): void {
  router.get('/metrics', async (ctx) => {
    if (!metrics) {
      throw new Failure(
        'not_found',
        'Metrics are switched off. Set METRICS=on and restart the service.',
      );
    }
    ctx.type = metrics.contentType;
    ctx.body = await metrics.render();
  });
}

/** Always answers 501, because there is no job store (docs/specification.md §4). */
export function jobRoutes(router: Router): void {
  router.get('/jobs', refuse);
  router.get('/jobs/:id', refuse);
  router.post('/jobs/:id/cancel', refuse);
}

function refuse(): never {
  throw new Failure(
    'not_implemented',
    'There are no jobs. POST /scan is synchronous and answers with the finished result.',
  );
}
