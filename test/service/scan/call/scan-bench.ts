import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { Failure } from '../../../../helpers/failure.ts';
import type { TokenUser } from '../../../../simulators/sample-dms/options.ts';
import { createSampleDms, type SampleDms } from '../../../../simulators/sample-dms/sample-dms.ts';
import type { ScanListener } from '../../../../service/archive/scan-record.ts';
import { createScanArchive, type ScanArchive } from '../../../../service/archive/scan-archive.ts';
import type { Profile } from '../../../../service/profiles/profile.ts';
import type { ScanCall } from '../../../../service/scan/scan.ts';
import { createDeadline } from '../../../../service/scan/deadline.ts';
import { CALL_TIMES, type CallTimes } from '../../../../service/scan/call/running-scans.ts';
import { createScans, type Scans } from '../../../../service/scan/call/scans.ts';
import { capturedLog, type CapturedLog } from '../../../support/captured-log.ts';
import { playedParts, type PartFaults, type PlayedParts } from '../../../support/scan-parts.ts';
import { readStoredRecord, type StoredRecord } from '../../../support/stored-record.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';
import { testProfile } from '../../../support/test-app.ts';

/** For what a test waits for, on a machine however busy. */
export const EVENT_MS = 60_000;

/** For an answer that says how the stages ended, on a machine however busy. */
export const PATIENT = { answer: EVENT_MS, nextCall: EVENT_MS };

/** What a service is made of, up to the HTTP interface. */
export interface BenchService {
  readonly scans: Scans;
  readonly parts: PlayedParts;
  readonly archive: ScanArchive;
}

/** An output directory, a sample DMS, and a service over played parts that can be started anew. */
export interface ScanBench {
  readonly root: string;
  readonly dms: SampleDms;
  readonly logged: CapturedLog;
  /** A profile that stores in `root` and delivers to the sample. */
  readonly profile: (fields?: object) => Profile;
  /** A call with that profile, and no metadata. */
  readonly call: (fields?: object) => ScanCall;
  /** Starts a service; the one before has ended then. */
  readonly start: (faults?: PartFaults, change?: ServiceChange) => Promise<BenchService>;
  /** What a service that begins anew reads of a scan. */
  readonly stored: (id: unknown) => Promise<StoredRecord>;
  readonly file: (id: unknown, name: string) => string;
  close(): Promise<void>;
}

export interface ServiceChange {
  readonly listener?: ScanListener;
  readonly onClosed?: (scanId: string) => void;
  /** What the archive is replaced by, for a disk that hangs. */
  readonly archive?: (archive: ScanArchive) => ScanArchive;
  readonly times?: Partial<CallTimes>;
}

/** The token that the played parts read. */
const TOKEN = 'token';

/** `user`: who the token belongs to in the sample DMS, an administrator unless it says otherwise. */
export async function createScanBench(user: Partial<TokenUser> = {}): Promise<ScanBench> {
  const temporary = await temporaryDirectory();
  const root = path.join(temporary.path, 'scans');
  await mkdir(root);
  const dms = await createSampleDms({
    tokens: [{ token: TOKEN, ...user }],
    storeDir: path.join(temporary.path, 'dms'),
  });
  const logged = capturedLog();
  // Timers of deadlines do not keep a process alive; a server does.
  const keepAlive = setInterval(() => {}, 1000);
  let archive: ScanArchive | undefined;

  const profile: ScanBench['profile'] = (fields = {}) =>
    testProfile({
      name: 'default',
      destinations: [{ kind: 'dms', base_url: dms.url }],
      paths: { output_dir: root },
      ...fields,
    });
  return {
    root,
    dms,
    logged,
    profile,
    call: (fields) => ({ profile: profile(fields), metadata: {} }),
    start: async (faults, { listener = () => {}, onClosed, archive: change, times } = {}) => {
      await archive?.close();
      archive = createScanArchive({
        roots: () => [root],
        listener,
        ...(onClosed && { onClosed }),
        log: logged.log,
      });
      const parts = playedParts(faults);
      const changed = change?.(archive) ?? archive;
      const scans = createScans(parts, changed, logged.log, { ...CALL_TIMES, ...times });
      return { scans, parts, archive: changed };
    },
    stored: (id) => readStoredRecord(path.join(root, String(id))),
    file: (id, name) => path.join(root, String(id), name),
    close: async () => {
      clearInterval(keepAlive);
      await archive?.close();
      await dms.close();
      await temporary.remove();
    },
  };
}

/** A time for the first call that passes when the test says so: when the call has come as far as it is to come. */
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

/** A runtime that was stopped says how it stands with the sheets. */
export function stopped(code: 'scanner_jammed' | 'scanner_error', facts: object = {}): Failure {
  return new Failure(code, 'The feeder stopped.', {
    facts: { page_count: 2, warnings: [PASSED], ...facts },
  });
}

/** Resolves when the signal is aborted. */
export function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** Long enough for what does not wait to have gone on. */
export async function someTurns(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await new Promise((next) => setImmediate(next));
}
