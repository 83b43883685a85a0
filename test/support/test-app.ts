import { createScanArchive } from '../../service/archive/scan-archive.ts';
import { createApp, type AppParts } from '../../service/http/app.ts';
import type { CallerToken, RequiredToken } from '../../service/http/caller-token.ts';
import { createScanWatchers } from '../../service/http/events/scan-watchers.ts';
import { readOpenApi } from '../../service/http/open-api.ts';
import { readPageFiles } from '../../service/http/page-files.ts';
import { listen } from '../../helpers/http/server.ts';
import type { ProfileProblem } from '../../service/profiles/problems.ts';
import type { Profile } from '../../service/profiles/profile.ts';
import { createProfileMismatches } from '../../service/profiles/profile-summary.ts';
import type { ProfileStore } from '../../service/profiles/store.ts';
import type { Scans } from '../../service/scan/call/scans.ts';
import { EventEmitter } from 'node:events';
import { capturedLog, type CapturedLog } from './captured-log.ts';
import { sendTo, type TestAnswer, type TestRequest } from './send-to.ts';

/** Read once for all apps, because reading takes longer than starting one. */
const OPEN_API = await readOpenApi('1.2.3');
const PAGE_FILES = await readPageFiles();

export interface TestApp {
  readonly port: number;
  readonly logged: CapturedLog;
  send(request: TestRequest): Promise<TestAnswer>;
  close(): Promise<void>;
}

/** Overrides calls and parts. By default, calls are refused or return nothing. */
export interface TestAppOptions extends Partial<Scans>, Partial<Omit<AppParts, 'profiles'>> {
  readonly profiles?: readonly Profile[];
  readonly problems?: readonly ProfileProblem[];
  readonly store?: ProfileStore;
  readonly health?: (signal: AbortSignal) => Promise<void>;
  /** Roots of the readable scan directories. Ignored if `archive` is given. */
  readonly scanRoots?: readonly string[];
  /** A fixed token instead of `callerToken`. */
  readonly token?: string;
}

export async function startTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  const logged = capturedLog();
  const app = createApp(testParts(options, logged));
  const handle = app.callback();
  const server = await listen((request, response) => void handle(request, response), {
    host: '127.0.0.1',
    port: 0,
    log: logged.log,
  });
  return {
    port: server.port,
    logged,
    send: (request) => sendTo(server.port, request),
    close: () => server.close(),
  };
}

export function testParts(
  options: TestAppOptions = {},
  logged: CapturedLog = capturedLog(),
): AppParts {
  const { profiles = [], problems = [], store, health, scanRoots = [], token, ...given } = options;
  const refuse = (): never => {
    throw new Error('not expected in this test');
  };
  const scans: Scans = {
    scan: refuse,
    continueScan: refuse,
    scanPageAgain: refuse,
    resume: refuse,
    stop: refuse,
    editPage: refuse,
    restorePage: refuse,
    discard: refuse,
    isRunning: () => false,
    answer: () => undefined,
    drain: refuse,
    ...given,
  };
  const { log } = logged;
  return {
    profiles: store ?? fixedStore(profiles, problems),
    mismatches: createProfileMismatches(),
    hidden: () => [],
    saved: { put: refuse, remove: refuse },
    languages: () => ['deu', 'eng'],
    scans,
    archive: createScanArchive({ roots: () => scanRoots, listener: () => {}, log }),
    scanner: {
      health: health ?? (() => Promise.resolve()),
      scanning: refuse,
      listDevices: refuse,
      checkScan: refuse,
      describeDevice: refuse,
      readSensors: refuse,
      scan: refuse,
      close: refuse,
    },
    watchers: createScanWatchers(),
    metrics: { contentType: 'text/plain', render: () => Promise.resolve('') },
    selfTest: refuse,
    scannerList: refuse,
    names: () => ({ list: refuse }),
    dmsUrl: () => undefined,
    callerToken: fixedToken(token),
    operator: undefined,
    openApi: OPEN_API,
    page: PAGE_FILES,
    version: { version: '1.2.3', commit: 'abc', built_at: '2026-11-21T00:00:00Z' },
    allowedHosts: [],
    log,
    ...given,
  };
}

function fixedToken(token: string | undefined): CallerToken {
  const now = (): Promise<void> => Promise.resolve();
  const required = token === undefined ? { state: 'none' } : { state: 'readable', token };
  return { required: () => required as RequiredToken, look: now, forget: now, close: () => {} };
}

function fixedStore(
  profiles: readonly Profile[],
  problems: readonly ProfileProblem[],
): ProfileStore {
  const byName = new Map(profiles.map((profile) => [profile.name, profile]));
  return {
    get: (name) => byName.get(name),
    list: () => profiles,
    isShipped: () => false,
    isOwn: () => true,
    origins: () => new Map(),
    buttons: () => [],
    saving: () => ({ possible: true, reason: null, left: 50 }),
    reload: () => Promise.resolve(),
    check: () => [],
    problems: () => problems,
    events: new EventEmitter(),
    close: () => {},
  };
}
