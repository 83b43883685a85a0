import type { Router } from '@koa/router';
import { Failure, type FailureCode } from '../../../helpers/failure.ts';
import type { ProfileStore } from '../../profiles/store.ts';
import type { ScannerClient } from '../../scanner/scanner-client.ts';

/** How long the scanner runtime has to answer its health check in GET /ready (SPEC.md §8). */
const READY_CHECK_MS = 3000;

export interface SystemParts {
  readonly profiles: ProfileStore;
  readonly scanner: ScannerClient;
  readonly version: Version;
  readonly readyCheckMs?: number;
}

/** Body of GET /version. */
export interface Version {
  readonly version: string;
  readonly commit: string;
  readonly built_at: string;
}

/** GET /health, /ready and /version. Health looks at nothing else; ready looks at the profiles first, then the runtime. */
export function systemRoutes(router: Router, parts: SystemParts): void {
  router.get('/health', (ctx) => {
    ctx.body = { status: 'ok' };
  });

  router.get('/version', (ctx) => {
    ctx.body = parts.version;
  });

  router.get('/ready', async (ctx) => {
    const reason = await notReadyReason(parts);
    if (reason) {
      ctx.status = new Failure(reason, '').status;
      ctx.body = { status: 'not_ready', reason, error: reason, message: ADVICE[reason] };
    } else {
      ctx.body = { status: 'ready' };
    }
  });
}

type NotReadyReason = Extract<FailureCode, 'no_profiles_loaded' | 'scanner_runtime_unreachable'>;

const ADVICE: Readonly<Record<NotReadyReason, string>> = {
  no_profiles_loaded:
    'no scan profile is loaded: put one into the profiles directory, or see the log for what is wrong',
  scanner_runtime_unreachable:
    'the scanner runtime does not answer: check that it runs, and its log',
};

async function notReadyReason(parts: SystemParts): Promise<NotReadyReason | undefined> {
  if (parts.profiles.list().length === 0) return 'no_profiles_loaded';
  try {
    await parts.scanner.health(AbortSignal.timeout(parts.readyCheckMs ?? READY_CHECK_MS));
    return undefined;
  } catch {
    return 'scanner_runtime_unreachable';
  }
}
