import type { Failure } from '../../helpers/failure.ts';
import type { Log } from '../../helpers/log.ts';
import { poll } from '../../helpers/poll.ts';
import type { Profile } from '../profiles/profile.ts';
import type { ProfileStore } from '../profiles/store.ts';
import { isSameTrigger, type Trigger } from '../profiles/trigger.ts';
import type { ScannerClient } from '../scanner/scanner-client.ts';
import { WATCH_TIMES, type WatchTimes } from './reading-times.ts';
import {
  isSameScanner,
  maybeSameScanner,
  type NamedScanner,
  type ReadingOf,
} from './same-scanner.ts';
import type { WatchedProfile } from './watched-profile.ts';
import { watchScanner, type ScannerStatus, type WatchedScanner } from './watched-scanner.ts';

/** How often to look which sensors are due. Each tick only compares times. */
const TICK_MS = 250;

/** Times are readings of `performance.now()`. */
export interface TriggerStatus extends ScannerStatus, ReturnType<WatchedProfile['seen']> {
  readonly profile: string;
  readonly trigger: Trigger;
  /**
   * An earlier profile that has the same trigger on the same scanner, under another device name.
   */
  readonly takenBy: string | undefined;
}

export interface Triggers {
  readonly status: () => readonly TriggerStatus[];
  readonly close: () => void;
}

export interface TriggerOptions {
  readonly scanner: Pick<ScannerClient, 'readSensors'>;
  readonly profiles: Pick<ProfileStore, 'list'>;
  /**
   * Starts a scan. Never rejects. `maybeSameScanner` returns false only for a scanner that is
   * surely not the one that fired.
   */
  readonly fire: (
    profile: Profile,
    trigger: Trigger,
    maybeSameScanner: (scanner: NamedScanner) => boolean,
  ) => Promise<void>;
  readonly log: Log;
  readonly times?: WatchTimes;
  readonly tickMs?: number;
  readonly now?: () => number;
}

/** Reads the sensors of triggers, and starts scans. A scanner that hangs does not delay others. */
export async function watchTriggers(options: TriggerOptions): Promise<Triggers> {
  const {
    scanner,
    profiles,
    fire,
    log,
    times = WATCH_TIMES,
    tickMs = TICK_MS,
    now = () => performance.now(),
  } = options;
  const scanners = new Map<string, WatchedScanner>();
  const closing = new AbortController();

  const open = (device: string): WatchedScanner =>
    watchScanner({
      read: () => scanner.readSensors(device, closing.signal),
      onChange: (failure) => closing.signal.aborted || logChange(device, failure, log),
      now,
      times,
    });

  const readingOf: ReadingOf = (name) => scanners.get(name)?.status().reading;
  const maybeSameAs = (named: string) => (other: NamedScanner) =>
    maybeSameScanner({ named }, other, readingOf);

  async function look(watched: WatchedScanner): Promise<void> {
    for (const { profile, trigger } of await watched.look()) {
      if (closing.signal.aborted) return;
      const other = takenBy(profile, trigger, scanners);
      if (other === undefined) void fire(profile, trigger, maybeSameAs(profile.device));
      else logTaken(profile, other, log);
    }
  }

  async function tick(): Promise<void> {
    const wanted = Map.groupBy(
      profiles.list().filter(({ trigger }) => trigger !== undefined),
      ({ device }) => device,
    );
    for (const device of scanners.keys()) if (!wanted.has(device)) scanners.delete(device);
    for (const [device, theirs] of wanted) {
      const watched = scanners.get(device) ?? open(device);
      scanners.set(device, watched);
      watched.use(theirs);
      look(watched).catch(onError);
    }
  }

  const onError = (err: unknown): void => logBug(err, log);
  const ticking = await poll({ look: tick, everyMs: tickMs, onError });

  return {
    status: () => [...scanners.values()].flatMap((one) => statusOf(one, scanners)),
    close: () => {
      ticking.close();
      closing.abort();
    },
  };
}

function logChange(device: string, failure: Failure | undefined, log: Log): void {
  if (failure) log.warn({ event: 'sensors_unknown', device, err: failure }, failure.message);
  else log.info({ event: 'sensors_read', device }, 'The sensors can be read again.');
}

function logBug(err: unknown, log: Log): void {
  log.error({ event: 'trigger_error', err }, 'The sensors of a scanner met a bug.');
}

function logTaken({ name, device }: Profile, other: string, log: Log): void {
  const what = `The same starts profile ${other}: "device" names one scanner twice. See GET /self-test.`;
  log.warn({ event: 'trigger_taken', device, profile: name }, what);
}

function statusOf(
  watched: WatchedScanner,
  scanners: ReadonlyMap<string, WatchedScanner>,
): TriggerStatus[] {
  return watched.profiles().map(({ profile, trigger, seen }) => ({
    profile: profile.name,
    trigger,
    ...watched.status(),
    ...seen(),
    takenBy: takenBy(profile, trigger, scanners),
  }));
}

/** Returns the first profile, earlier by name, that has the same trigger on the same scanner. */
function takenBy(
  { name, device }: Profile,
  trigger: Trigger,
  scanners: ReadonlyMap<string, WatchedScanner>,
): string | undefined {
  const real = scanners.get(device)?.status().reading;
  return [...scanners.values()]
    .filter((one) => isSameScanner(one.status().reading, real))
    .flatMap((one) => one.profiles())
    .filter((one) => one.profile.name < name && isSameTrigger(one.trigger, trigger))
    .map((one) => one.profile.name)
    .toSorted()[0];
}
