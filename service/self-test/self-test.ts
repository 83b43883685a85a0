import { beforeAbort } from '../before-abort.ts';
import type { Dms } from '../paperless/dms.ts';
import { systemKey, systemOf } from '../paperless/names/find-object.ts';
import type { ProfileStore } from '../profiles/store.ts';
import {
  checkCallerToken,
  checkClock,
  checkProfiles,
  checkSecrets,
} from './check-configuration.ts';
import { unknown, type Check } from './check.ts';
import { checkProcessor, type ProcessorCheckOptions } from './check-processor.ts';
import { checkScanner, type ScannerCheckOptions } from './check-scanner.ts';
import {
  checkStorage,
  createSyncSpeed,
  type StorageOptions,
  type SyncSpeed,
} from './check-storage.ts';
import { checkSystem, type UsedDestination } from './check-system.ts';

/** Body of GET /self-test. */
export interface SelfTestResult {
  /** `problems`: at least one check failed. */
  readonly status: 'ok' | 'problems';
  readonly duration_ms: number;
  readonly checks: readonly Check[];
}

/** Looks at the whole chain; calls at the same time share one look. */
export type SelfTest = () => Promise<SelfTestResult>;

export interface SelfTestParts
  extends
    Pick<ScannerCheckOptions, 'scanner' | 'socketPath' | 'runtimeMs'>,
    Pick<ProcessorCheckOptions, 'processor' | 'processorUrl'>,
    Pick<StorageOptions, 'checkOwner'>,
    Partial<Pick<StorageOptions, 'syncSpeed'>> {
  readonly profiles: Pick<ProfileStore, 'list' | 'problems'>;
  /** The output directories. */
  readonly roots: () => readonly string[];
  readonly dms: Dms;
  readonly callerToken: { readonly required: () => Parameters<typeof checkCallerToken>[0] };
  readonly now?: () => Date;
  /** How long the whole may take, in milliseconds. */
  readonly limitMs?: number;
}

/** A person waits for it, and so does a page. What is not known by then is `unknown`. */
const LIMIT_MS = 9500;

/** Feeds nothing, changes nothing and leaves nothing behind; no secret is in the result. */
export function createSelfTest(parts: SelfTestParts): SelfTest {
  let running: Promise<SelfTestResult> | undefined;
  const { syncSpeed = createSyncSpeed() } = parts;
  return () => (running ??= run(parts, syncSpeed).finally(() => (running = undefined)));
}

async function run(parts: SelfTestParts, syncSpeed: SyncSpeed): Promise<SelfTestResult> {
  const began = performance.now();
  const { profiles: store, dms, callerToken, limitMs = LIMIT_MS, now = () => new Date() } = parts;
  const profiles = store.list();
  const signal = AbortSignal.timeout(limitMs);
  const section = (id: string, subject: string, checks: Promise<Check[]>): Promise<Check[]> =>
    beforeAbort(signal, checks, [unknown({ id, subject }, 'There was no answer in time.')]);
  const sections = await Promise.all([
    section('secrets', 'secrets', checkSecrets(store, dms.readSecret)),
    ...[...new Set(parts.roots())].map((root) =>
      section(
        'storage',
        root,
        checkStorage(root, { profiles, checkOwner: parts.checkOwner, syncSpeed }),
      ),
    ),
    section('scanner', 'scanner', checkScanner({ ...parts, profiles, signal })),
    section('processor', 'processor', checkProcessor({ ...parts, profiles, signal })),
    ...systemsOf(store).map((used) => {
      const subject = used[0] ? systemOf(used[0].destination) : '';
      return section('dms', subject, checkSystem(used, dms, signal));
    }),
  ]);
  const first = [
    checkClock(now()),
    ...checkProfiles(store),
    checkCallerToken(callerToken.required()),
  ];
  const checks = [...first, ...sections.flat()];
  const status = checks.some((check) => check.status === 'fail') ? 'problems' : 'ok';
  return { status, duration_ms: Math.round(performance.now() - began), checks };
}

/** The destinations of all profiles, by system and secret. */
function systemsOf(profiles: Pick<ProfileStore, 'list'>): UsedDestination[][] {
  const used = profiles
    .list()
    .flatMap(({ name, destinations }) =>
      destinations.map((destination) => ({ profile: name, destination })),
    );
  return [...Map.groupBy(used, ({ destination }) => systemKey(destination)).values()];
}
