import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { Failure } from '../../../../helpers/failure.ts';
import type { SampleDmsOptions } from '../../../../simulators/sample-dms/options.ts';
import { createSampleDms, type SampleDms } from '../../../../simulators/sample-dms/sample-dms.ts';
import type { CallIdentity } from '../../../../service/archive/scan-event.ts';
import type { ScanListener } from '../../../../service/archive/scan-record.ts';
import type { ScanResult } from '../../../../service/archive/scan-view.ts';
import { createScanArchive, type ScanArchive } from '../../../../service/archive/scan-archive.ts';
import type { Profile } from '../../../../service/profiles/profile.ts';
import type { ScanCall } from '../../../../service/scan/scan.ts';
import { createDeadline } from '../../../../service/scan/deadline.ts';
import { CALL_TIMES, type CallTimes } from '../../../../service/scan/call/running-scans.ts';
import { createScans, type Scans } from '../../../../service/scan/call/scans.ts';
import { capturedLog, type CapturedLog } from '../../../support/captured-log.ts';
import {
  feedPages,
  playedParts,
  type Feed,
  type PartFaults,
  type PlayedParts,
} from '../../../support/scan-parts.ts';
import { readStoredRecord, type StoredRecord } from '../../../support/stored-record.ts';
import { EVENT_MS, failure, type FixtureTest, withFixture } from '../../../support/suite.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';
import { testProfile } from '../../../support/test-profile.ts';

export const LONG_TIMES = { answer: EVENT_MS, nextCall: EVENT_MS };

export interface BenchService {
  readonly scans: Scans;
  readonly parts: PlayedParts;
  readonly archive: ScanArchive;
}

/** An output directory, a sample DMS, and a restartable service over simulated parts. */
export interface ScanBench {
  readonly root: string;
  readonly dms: SampleDms;
  readonly another: (tokens?: Tokens) => Promise<SampleDms>;
  readonly logged: CapturedLog;
  readonly profile: (fields?: object) => Profile;
  readonly call: (fields?: object) => ScanCall;
  /** The previous service must have ended. */
  readonly start: (faults?: PartFaults, change?: ServiceChange) => Promise<BenchService>;
  /** Scans in a service of its own until the feeder jams after `pages`. Resolves with the id. */
  readonly jammed: (
    pages: number | Feed,
    fields?: object,
    identity?: CallIdentity,
  ) => Promise<string>;
  /** The record as a freshly started service reads it. */
  readonly stored: (id: unknown) => Promise<StoredRecord>;
  readonly file: (id: unknown, name: string) => string;
  close(): Promise<void>;
}

export interface ServiceChange {
  readonly listener?: ScanListener;
  readonly onClosed?: (scanId: string) => void;
  readonly archive?: (real: ScanArchive) => Partial<ScanArchive>;
  readonly times?: Partial<CallTimes>;
}

type Tokens = SampleDmsOptions['tokens'];

/** `tokens` are the valid tokens of the sample DMS; the simulated parts use `token`. */
export function scanTests(title: string, tokens?: Tokens): FixtureTest<ScanBench> {
  return withFixture<ScanBench>(title, () => createScanBench(tokens));
}

export const JAM = new Failure('scanner_jammed', 'Stuck.');

/**
 * `tokens`: valid tokens of the sample DMS; the simulated parts use `token`. `disk`: the directory
 * for the scans, by default a temporary one.
 */
export async function createScanBench(
  tokens: Tokens = ['token'],
  disk?: string,
): Promise<ScanBench> {
  const temporary = await temporaryDirectory();
  const root = path.join(disk ?? temporary.path, 'scans');
  await mkdir(root);
  const systems: SampleDms[] = [];
  const another: ScanBench['another'] = async (known = tokens) => {
    const storeDir = path.join(temporary.path, `dms-${systems.length}`);
    const system = await createSampleDms({ tokens: known, storeDir });
    systems.push(system);
    return system;
  };
  const dms = await another();
  const logged = capturedLog();
  // Unlike a server, deadline timers do not keep a process alive.
  const keepAlive = setInterval(() => {}, 1000);
  let archive: ScanArchive | undefined;

  const profile: ScanBench['profile'] = (fields = {}) =>
    testProfile({
      name: 'default',
      destinations: [{ kind: 'dms', base_url: dms.url }],
      paths: { output_dir: root },
      ...fields,
    });
  const call: ScanBench['call'] = (fields) => ({ profile: profile(fields), metadata: {} });
  const start: ScanBench['start'] = async (
    faults,
    { listener = () => {}, onClosed, archive: change, times } = {},
  ) => {
    await archive?.close();
    archive = createScanArchive({
      roots: () => [root],
      listener,
      ...(onClosed && { onClosed }),
      log: logged.log,
    });
    const parts = playedParts(faults);
    const changed = { ...archive, ...change?.(archive) };
    const scans = createScans(parts, changed, logged.log, { ...CALL_TIMES, ...times });
    return { scans, parts, archive: changed };
  };
  return {
    root,
    dms,
    logged,
    another,
    profile,
    call,
    start,
    jammed: async (pages, fields, identity) => {
      const feed = typeof pages === 'number' ? feedPages(pages, JAM) : pages;
      const { scans } = await start({ feed });
      const { facts } = await failure('scanner_jammed', scans.scan(call(fields), identity));
      return String(facts['scan_id']);
    },
    stored: (id) => readStoredRecord(path.join(root, String(id))),
    file: (id, name) => path.join(root, String(id), name),
    close: async () => {
      clearInterval(keepAlive);
      await archive?.close();
      await Promise.all(systems.map((system) => system.close()));
      await temporary.remove();
    },
  };
}

export function statuses({ documents }: ScanResult): string {
  return documents
    .map(({ destinations }) => destinations.map(({ status }) => status).join(' '))
    .join(', ');
}

/** A time limit for the first call that expires when the test calls `pass`. */
export function heldDeadline(): {
  readonly times: Pick<CallTimes, 'deadlineOf'>;
  readonly pass: () => void;
} {
  const passed = new AbortController();
  let calls = 0;
  return {
    times: {
      deadlineOf: (seconds, startedAt) => {
        calls += 1;
        if (calls > 1) return createDeadline(seconds, startedAt);
        return { signal: passed.signal, seconds, startedAt };
      },
    },
    pass: () => passed.abort(new DOMException('The time is up.', 'TimeoutError')),
  };
}

export const PASSED = 'Up to 2 sheets may have passed without becoming a page.';

export function stopped(code: 'scanner_jammed' | 'scanner_error', facts: object = {}): Failure {
  return new Failure(code, 'The feeder stopped.', {
    facts: { page_count: 2, warnings: [PASSED], ...facts },
  });
}

export function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** Gives pending work that waits for no timer enough turns to complete. */
export async function letOthersRun(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await new Promise((next) => setImmediate(next));
}
