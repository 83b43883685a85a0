import type { EventEmitter } from 'node:events';
import type { ProfileStore } from '../profiles/store.ts';
import type { RequiredToken } from '../http/caller-token.ts';
import type { Dms } from '../paperless/dms.ts';
import { identityOf } from '../paperless/destination.ts';
import { configurationChecks, secretCheck } from './check-configuration.ts';
import { runChecks, verdictOf, type Check, type KeyedResult, type Verdict } from './check.ts';
import { processorChecks, type ProcessorCheckOptions } from './check-processor.ts';
import { scannerChecks, type ScannerCheckOptions } from './check-scanner.ts';
import { createUnansweredScanners, type UnansweredScanners } from './unanswered-scanners.ts';
import { storageChecks, type StorageOptions } from './check-storage.ts';
import { triggerChecks, type TriggerCheckOptions } from './check-triggers.ts';
import type { SettingsStore } from '../settings/settings-store.ts';
import { settingsCheck } from './check-settings.ts';
import { systemChecks, type UsedDestination } from './check-system.ts';

export interface SelfTestResult {
  readonly status: Verdict;
  readonly looked_at: string;
  readonly duration_ms: number;
  readonly checks: readonly KeyedResult[];
}

/**
 * Returns the last result, because a test opens the scanner. Tests again with `refresh`, and after
 * profiles or the answers of the set-up have changed. Concurrent calls share a test.
 */
export type SelfTest = (refresh: boolean) => Promise<SelfTestResult>;

export interface SelfTestParts
  extends ScannerCheckOptions, ProcessorCheckOptions, StorageOptions, TriggerCheckOptions {
  readonly profiles: Pick<ProfileStore, 'list' | 'isShipped' | 'isOwn' | 'problems' | 'events'>;
  readonly roots: () => readonly string[];
  readonly dms: Dms;
  readonly callerToken: { readonly required: () => RequiredToken };
  readonly settings: Pick<SettingsStore, 'state' | 'current'>;
  readonly settingsDir: string;
  readonly setUpEvents?: EventEmitter<{ stored: [] }>;
  readonly now?: () => Date;
  readonly limitMs?: number;
}

/** A person waits for the result. */
const LIMIT_MS = 8000;

/** Feeds no paper, changes nothing, and shows no secrets. */
export function createSelfTest(parts: SelfTestParts): SelfTest {
  const unanswered = createUnansweredScanners();
  let last: SelfTestResult | undefined;
  let running: Promise<SelfTestResult> | undefined;

  async function run(): Promise<SelfTestResult> {
    const mine = runAll(parts, unanswered);
    running = mine;
    try {
      const result = await mine;
      if (running === mine) last = result;
      return result;
    } finally {
      if (running === mine) running = undefined;
    }
  }

  // A running test is outdated too, because it may have read what has changed since.
  const forget = (): void => void ([last, running] = [undefined, undefined]);
  parts.profiles.events.on('loaded', forget);
  // A new token or password does not change any profile.
  parts.setUpEvents?.on('stored', forget);
  return async (refresh) => running ?? (refresh ? undefined : last) ?? run();
}

async function runAll(
  parts: SelfTestParts,
  unanswered: UnansweredScanners,
): Promise<SelfTestResult> {
  const began = performance.now();
  const { limitMs = LIMIT_MS, now = () => new Date() } = parts;
  const signal = AbortSignal.timeout(limitMs);
  const checks = await runChecks(allChecks(parts, { now, signal, unanswered }), signal);
  return {
    status: verdictOf(checks),
    looked_at: now().toISOString(),
    duration_ms: Math.round(performance.now() - began),
    checks,
  };
}

function allChecks(
  parts: SelfTestParts,
  {
    now,
    signal,
    unanswered,
  }: {
    readonly now: () => Date;
    readonly signal: AbortSignal;
    readonly unanswered: UnansweredScanners;
  },
): Check[] {
  const { profiles: store, dms, callerToken, roots } = parts;
  // Leaves out saved buttons, which need only what their base needs.
  const profiles = store.list().filter(({ name }) => store.isOwn(name));
  unanswered.keepOnly(new Set(profiles.map(({ device }) => device)));
  const used = profiles.flatMap(({ name, label: labels = name, destinations }) => {
    const label = typeof labels === 'string' ? labels : (labels['de'] ?? labels['en'] ?? name);
    return destinations.map((destination): UsedDestination => ({
      profile: name,
      label,
      destination,
    }));
  });
  const secrets = new Map(
    used.map(({ destination: { token_secret: secret } }) => [
      secret,
      secretCheck(secret, dms.readSecret),
    ]),
  );
  const systems = Map.groupBy(used, ({ destination }) => identityOf(destination));
  return [
    ...configurationChecks(store, callerToken, now),
    settingsCheck(parts.settingsDir, parts.settings.state),
    ...secrets.values(),
    ...[...new Set(roots())].flatMap((root) => storageChecks(root, profiles, parts)),
    ...scannerChecks(parts, profiles, {
      isShipped: (name) => store.isShipped(name),
      signal,
      unanswered,
    }),
    ...triggerChecks(parts),
    ...processorChecks(parts, profiles, signal),
    ...[...systems.values()].flatMap(([first, ...others]) => {
      const secret = first && secrets.get(first.destination.token_secret);
      return secret ? systemChecks([first, ...others], { secret, dms, signal }) : [];
    }),
  ];
}
