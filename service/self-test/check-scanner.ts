import { stat } from 'node:fs/promises';
import pLimit from 'p-limit';
import { errorCode } from '../../helpers/error-code.ts';
import { Failure } from '../../helpers/failure.ts';
import type { PageSize } from '../../helpers/ipc/messages.ts';
import { sizeText } from '../../helpers/paper.ts';
import { AREA_UNUSABLE } from '../../helpers/scanner-words.ts';
import { connectionError } from '../../helpers/socket-owner.ts';
import type { Profile } from '../profiles/profile.ts';
import { isStarting } from '../processor/processor-start.ts';
import { requireRuntime } from '../scan/call/preflight.ts';
import { scannerSettings } from '../scan/scanner-settings.ts';
import type { ProfileMismatches } from '../profiles/profile-summary.ts';
import type { ScannerClient } from '../scanner/scanner-client.ts';
import type { UnansweredScanners } from './unanswered-scanners.ts';
import { askOnce, fail, LATE, ok, warn, type Check, type Found } from './check.ts';

export interface ScannerCheckOptions {
  readonly scanner: Pick<ScannerClient, 'health' | 'checkScan'>;
  readonly socketPath: string;
  readonly runtimeMs?: number | undefined;
  /** Time limit for all scanners together. */
  readonly scannerMs?: number | undefined;
  readonly upSeconds?: () => number;
  readonly mismatches: ProfileMismatches;
}

export interface ScannerLook {
  readonly isShipped: (name: string) => boolean;
  readonly signal: AbortSignal;
  readonly unanswered: UnansweredScanners;
}

/** Shorter than the whole self-test. A network search takes 5 s. */
const SCANNER_MS = 7000;

/** Checks the runtime, the scanners and the profiles' settings. Feeds no paper. */
export function scannerChecks(
  options: ScannerCheckOptions,
  profiles: readonly Profile[],
  { isShipped, signal, unanswered }: ScannerLook,
): Check[] {
  const { scanner, scannerMs = SCANNER_MS, mismatches } = options;
  const runtime = runtimeCheck(options, signal);
  // A scanner answers one request at a time.
  const inTurn = pLimit(1);
  const late = AbortSignal.any([signal, AbortSignal.timeout(scannerMs)]);
  const tested = profiles.map((profile) => ({
    profile,
    isOwn: !isShipped(profile.name),
    look: askOnce(() => inTurn(() => lookAt(profile, scanner, { late, scannerMs, unanswered }))),
  }));
  const hasOwn = tested.some(({ isOwn }) => isOwn);
  // A shipped profile that does not fit is left out if the operator has own ones or another fits.
  const isLeftOut = async ({ isOwn }: (typeof tested)[number]): Promise<boolean> =>
    !isOwn &&
    (hasOwn ||
      (await Promise.all(tested.map(({ look }) => look()))).some(
        ({ settings }) => settings.status === 'ok',
      ));
  const devices = new Map<string, Check>();
  const checks = tested.flatMap((one) => {
    const { profile, look } = one;
    const { name, device: subject } = profile;
    const known = devices.get(subject);
    const users = tested.filter((other) => other.profile.device === subject);
    const run = async (): Promise<Found> => {
      const { device } = await look();
      const isUnused = hasOwn && users.every(({ isOwn }) => !isOwn);
      if (device.status !== 'fail' || !isUnused) return device;
      const reason = (await isOwnThere(tested)) ? device.what : undefined;
      for (const user of users) mismatches.note(user.profile.name, reason);
      return { status: 'skipped', what: `Only shipped profiles use it: ${device.what}` };
    };
    const device = known ?? { id: 'scanner', subject, needs: runtime, run };
    devices.set(subject, device);
    const settings: Check = {
      id: 'scanner.options',
      subject: name,
      needs: device,
      run: async () => {
        const found = (await look()).settings;
        const isUnfit = found.status === 'fail' && (await isLeftOut(one));
        if (found.status !== 'unknown') mismatches.note(name, isUnfit ? found.what : undefined);
        return isUnfit ? { status: 'skipped', what: `Not offered: ${found.what}` } : found;
      },
    };
    return known ? [settings] : [device, settings];
  });
  return [runtime, ...checks];
}

async function isOwnThere(
  tested: readonly { readonly isOwn: boolean; readonly look: () => Promise<Looked> }[],
): Promise<boolean> {
  const own = tested.filter(({ isOwn }) => isOwn);
  const found = await Promise.all(own.map(({ look }) => look()));
  return found.some(({ device }) => device.status === 'ok');
}

function runtimeCheck(
  { scanner, socketPath, runtimeMs, upSeconds = () => process.uptime() }: ScannerCheckOptions,
  signal: AbortSignal,
): Check {
  return {
    id: 'runtime',
    subject: socketPath,
    run: async () => {
      try {
        await requireRuntime(scanner, signal, runtimeMs);
        return ok('The scanner runtime answers.');
      } catch (error) {
        const problem = await socketProblem(socketPath);
        if (problem === NOT_RUNNING && isStarting(upSeconds())) return STARTING;
        if (problem === NOT_RUNNING) return notRunning(socketPath);
        if (problem) return problem;
        throw error;
      }
    },
  };
}

const NOT_RUNNING = 'not running';

const STARTING: Found = {
  status: 'unknown',
  what: 'The scanner runtime is starting: it does not answer yet.',
  remedy: 'Wait a minute, then look again.',
};

function notRunning(file: string): Found {
  return fail(
    `The scanner runtime is not running: nothing listens at ${file}.`,
    'Start it, and check that both parts have the same SCANNER_SOCKET and share its directory.',
  );
}

/** Returns why the socket cannot be used. Undefined if a program listens on it. */
async function socketProblem(file: string): Promise<Found | typeof NOT_RUNNING | undefined> {
  const found = await stat(file).catch((error: unknown) => errorCode(error));
  if (typeof found === 'object' && !found.isSocket()) {
    const remedy = 'Move it away, check SCANNER_SOCKET, and start the scanner runtime.';
    return fail(`${file} is not a socket.`, remedy);
  }
  const code = typeof found === 'object' ? await connectionError(file) : found;
  if (code === undefined) return undefined;
  if (code === 'ENOENT' || code === 'ECONNREFUSED') return NOT_RUNNING;
  if (code === 'EACCES') {
    const what = `The service, uid ${process.getuid?.()}, may not use the socket ${file}.`;
    return fail(what, 'Run the service and the scanner runtime as the same user.');
  }
  const what = `${file} is not the socket of a scanner runtime (${code}).`;
  return fail(what, 'Check SCANNER_SOCKET.');
}

interface Looked {
  readonly device: Found;
  readonly settings: Found;
}

async function lookAt(
  profile: Profile,
  scanner: ScannerCheckOptions['scanner'],
  {
    late,
    scannerMs,
    unanswered,
  }: {
    readonly late: AbortSignal;
    readonly scannerMs: number;
    readonly unanswered: UnansweredScanners;
  },
): Promise<Looked> {
  // A request needs these values, but the check ignores them.
  const place = { directory: profile.paths.output_dir, first_page: 1, first_sheet: 1 };
  const began = performance.now();
  try {
    const asked = { ...scannerSettings(profile), ...place };
    const checked = await scanner.checkScan(asked, late);
    const { device } = checked;
    unanswered.noteAnswer(profile.device);
    const found = checked.cover_open
      ? warn(`The cover of ${device} is open.`, 'Close it.', { key: 'scanner.cover' })
      : ok(`The scanner is ${device}.`, device);
    const settings = checked.area_unusable
      ? warn(AREA_UNUSABLE.what, AREA_UNUSABLE.remedy)
      : ok(describe(profile, checked.page_size));
    return { device: found, settings };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const { code, what, remedy, facts } = error;
    if (code === 'scan_option_rejected' && facts['option'] !== 'device') {
      const found = { found: String(facts['value']), expected: listed(facts['valid_values']) };
      unanswered.noteAnswer(profile.device);
      const settings = fail(`Profile "${profile.name}": ${what}`, remedy, found);
      return { device: ok('The scanner answers.'), settings };
    }
    // One of our scans is using the scanner, so it works.
    if (facts['busy_with'] !== undefined) return { device: BUSY, settings: BUSY };
    if (late.aborted) {
      const waitedMs = performance.now() - began;
      if (waitedMs < scannerMs / 2) return { device: NO_TIME, settings: NO_TIME };
      const isAgain = unanswered.noteUnanswered(profile.device, began);
      return { device: silent(waitedMs, isAgain), settings: LATE };
    }
    unanswered.noteAnswer(profile.device);
    return { device: fail(what, remedy), settings: fail(what, remedy) };
  }
}

const BUSY: Found = {
  status: 'skipped',
  what: 'Not checked: a scan is running.',
  key: 'scanner.busy',
};

/** Other checks took all the time, which says nothing about this scanner. */
const NO_TIME: Found = {
  status: 'unknown',
  what: 'There was no time left to ask the scanner.',
  remedy: 'Look again when the machine is less busy.',
};

/** After two tests without an answer, a scanner is hung, not asleep. */
function silent(waitedMs: number, isAgain: boolean): Found {
  const what = `The scanner did not answer within ${(waitedMs / 1000).toFixed(0)} s`;
  return isAgain
    ? fail(
        `${what}, at two looks in a row.`,
        'Switch it off and on, and check its cable or network.',
        { key: 'scanner.silent' },
      )
    : warn(`${what}.`, WAKE_IT);
}

const WAKE_IT = 'Wake it at its display or cover; if that does not help, switch it off and on.';

/** `cut`: the scanned area, if the scanner is smaller than the paper. */
function describe(
  { source, sides, mode, resolution, page_size }: Profile,
  cut: PageSize | undefined,
): string {
  const paper = page_size === 'auto' ? 'pages of any size' : sizeText(page_size);
  const size = cut ? `${sizeText(cut)} of ${paper}` : paper;
  const from = sides === 'both' ? ['both sides'] : [];
  const settings = [...from, source ?? 'its usual source', mode, `${resolution} dpi`, size];
  return `It can scan ${settings.join(', ')}.`;
}

function listed(values: unknown): string | undefined {
  return Array.isArray(values) && values.length > 0 ? values.map(String).join(', ') : undefined;
}
