import { stat } from 'node:fs/promises';
import pLimit from 'p-limit';
import { errorCode } from '../../helpers/error-code.ts';
import { Failure } from '../../helpers/failure.ts';
import { connectionError } from '../../helpers/socket-owner.ts';
import type { Profile } from '../profiles/profile.ts';
import { requireRuntime } from '../scan/call/preflight.ts';
import { scannerSettings } from '../scan/scanner-settings.ts';
import type { ScannerClient } from '../scanner/scanner-client.ts';
import { askOnce, LATE, ok, type Check, type Found } from './check.ts';

export interface ScannerCheckOptions {
  readonly scanner: Pick<ScannerClient, 'health' | 'checkScan'>;
  readonly socketPath: string;
  /** How long the runtime may take to say that it is there, in milliseconds. */
  readonly runtimeMs?: number | undefined;
  /** How long all scanners together may take to say what they can do, in milliseconds. */
  readonly scannerMs?: number | undefined;
}

/** A search of the network takes some 5 s; less than the whole self-test, so that a scanner that hangs is named. */
const SCANNER_MS = 8000;

/** The scanner runtime, the scanner of each profile, and whether that scanner can do what the profile asks for. Feeds nothing. */
export function scannerChecks(
  options: ScannerCheckOptions,
  profiles: readonly Profile[],
  signal: AbortSignal,
): Check[] {
  const { scanner, socketPath, runtimeMs, scannerMs = SCANNER_MS } = options;
  const runtime: Check = {
    id: 'runtime',
    subject: socketPath,
    run: async () => {
      try {
        await requireRuntime(scanner, signal, runtimeMs);
      } catch (error) {
        throw (await socketProblem(socketPath)) ?? error;
      }
      return ok('The scanner runtime answers.');
    },
  };
  // One after the other: a scanner answers one question at a time.
  const inTurn = pLimit(1);
  const late = AbortSignal.any([signal, AbortSignal.timeout(scannerMs)]);
  const devices = new Map<string, Check>();
  const checks = profiles.flatMap((profile) => {
    // The directory is not looked at.
    const place = { directory: profile.paths.output_dir, first_page: 1, first_sheet: 1 };
    const request = { ...scannerSettings(profile), ...place };
    const ask = askOnce(() => inTurn(() => scanner.checkScan(request, late)));
    const known = devices.get(profile.device);
    const device: Check = known ?? {
      id: 'scanner',
      subject: profile.device,
      needs: runtime,
      run: () => unlessBusy(late, noAnswer(scannerMs), () => deviceFound(ask)),
    };
    devices.set(profile.device, device);
    const settings: Check = {
      id: 'scanner.options',
      subject: profile.name,
      needs: device,
      run: () => unlessBusy(late, LATE, () => settingsFit(profile, ask)),
    };
    return known ? [settings] : [device, settings];
  });
  return [runtime, ...checks];
}

/** Why nothing can be asked at a socket; undefined where something listens there. */
async function socketProblem(file: string): Promise<Failure | undefined> {
  const code = await stat(file).then(
    () => connectionError(file),
    (error: unknown) => errorCode(error),
  );
  if (code === undefined) return undefined;
  const uid = process.getuid?.();
  const [what, remedy] =
    code === 'ENOENT' || code === 'ECONNREFUSED'
      ? [
          `The scanner runtime is not running: nothing listens at ${file}.`,
          'Start it, and check that both parts have the same SCANNER_SOCKET and share its directory.',
        ]
      : code === 'EACCES'
        ? [
            `The service, uid ${uid}, may not use the socket ${file}.`,
            'Run the service and the scanner runtime as the same user.',
          ]
        : [`${file} is not the socket of a scanner runtime (${code}).`, 'Check SCANNER_SOCKET.'];
  return new Failure('scanner_runtime_unreachable', what, { remedy });
}

type Ask = () => Promise<{ readonly device: string }>;

async function deviceFound(ask: Ask): Promise<Found> {
  try {
    const { device } = await ask();
    return ok(`The scanner is ${device}.`, device);
  } catch (error) {
    if (isAboutSettings(error)) return ok('The scanner answers.');
    throw error;
  }
}

async function settingsFit(profile: Profile, ask: Ask): Promise<Found> {
  try {
    await ask();
    return ok(describe(profile));
  } catch (error) {
    if (!isAboutSettings(error)) throw error;
    const { what, remedy, facts } = error;
    return {
      status: 'fail',
      what: `Profile "${profile.name}": ${what}`,
      remedy,
      found: String(facts['value']),
      expected: listed(facts['valid_values']),
    };
  }
}

/** The scanner is there, and does not do what was asked for. */
function isAboutSettings(error: unknown): error is Failure {
  if (!(error instanceof Failure) || error.code !== 'scan_option_rejected') return false;
  return error.facts['option'] !== 'device';
}

/** A scan of ours may have the scanner, and then nothing is wrong; where another program has it, that is another matter. */
async function unlessBusy(
  late: AbortSignal,
  ifLate: Found,
  look: () => Promise<Found>,
): Promise<Found> {
  try {
    return await look();
  } catch (error) {
    if (error instanceof Failure && error.facts['busy_with'] !== undefined)
      return { status: 'skipped', what: 'Not checked: a scan is running.' };
    if (!late.aborted) throw error;
    return ifLate;
  }
}

function noAnswer(withinMs: number): Found {
  return {
    status: 'warn',
    what: `The scanner did not answer within ${withinMs / 1000} s.`,
    remedy: 'Wake it, or switch it off and on.',
  };
}

function describe({ source, mode, resolution, page_size }: Profile): string {
  const isAuto = page_size === 'auto';
  const size = isAuto ? 'pages of any size' : `${page_size.width_mm} x ${page_size.height_mm} mm`;
  return `It can scan ${source ?? 'its usual source'}, ${mode}, ${resolution} dpi, ${size}.`;
}

function listed(values: unknown): string | undefined {
  return Array.isArray(values) && values.length > 0 ? values.map(String).join(', ') : undefined;
}
