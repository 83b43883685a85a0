import { stat } from 'node:fs/promises';
import { errorCode } from '../../helpers/error-code.ts';
import { Failure } from '../../helpers/failure.ts';
import { connectionError } from '../../helpers/socket-owner.ts';
import type { Profile } from '../profiles/profile.ts';
import { scannerSettings } from '../scan/scanner-settings.ts';
import type { ScannerClient } from '../scanner/scanner-client.ts';
import { fail, ok, skipped, unknown, type Check } from './check.ts';

export interface ScannerCheckOptions {
  readonly scanner: Pick<ScannerClient, 'health' | 'checkScan'>;
  readonly socketPath: string;
  readonly profiles: readonly Profile[];
  readonly signal: AbortSignal;
  /** How long the runtime may take to say that it is there, in milliseconds. */
  readonly runtimeMs?: number;
}

/** As GET /ready has it. */
const RUNTIME_MS = 3000;

/** The scanner runtime, the scanner of each profile, and whether that scanner can do what the profile asks for. Feeds nothing. */
export async function checkScanner(options: ScannerCheckOptions): Promise<Check[]> {
  const { profiles } = options;
  const runtime = await checkRuntime(options);
  const checks = [runtime];
  const known = new Map<string, Check>();
  for (const profile of profiles) {
    const found = runtime.status === 'ok' ? known.get(profile.device) : undefined;
    const options_ = { id: 'scanner.options', subject: profile.name };
    if (runtime.status !== 'ok') {
      checks.push(skipped(options_, 'the scanner runtime does not answer'));
    } else if (found && found.status !== 'ok') {
      checks.push(skipped(options_, `the scanner "${profile.device}" cannot be used`));
    } else {
      const { device, settings } = await checkProfile(profile, options);
      if (!found) checks.push(device);
      known.set(profile.device, found ?? device);
      checks.push(settings);
    }
  }
  return checks;
}

async function checkRuntime(options: ScannerCheckOptions): Promise<Check> {
  const { scanner, socketPath: subject, runtimeMs = RUNTIME_MS } = options;
  const about = { id: 'runtime', subject };
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(runtimeMs)]);
  try {
    await scanner.health(signal);
    return ok(about, 'The scanner runtime answers.');
  } catch (error) {
    const isOther = error instanceof Failure && /same version/.test(error.message);
    return fail(about, isOther ? error.message : await explainSocket(subject));
  }
}

/** Why nobody answers at a socket. */
async function explainSocket(file: string): Promise<string> {
  const code = await stat(file).then(
    () => connectionError(file),
    (error: unknown) => errorCode(error),
  );
  if (code === 'ENOENT' || code === 'ECONNREFUSED') {
    return `The scanner runtime is not running: nobody listens at ${file}. Start it, and check that both parts have the same SCANNER_SOCKET and share its directory.`;
  }
  if (code === 'EACCES') {
    return `The service, uid ${process.getuid?.()}, may not use the socket ${file}. Run the service and the scanner runtime as the same user.`;
  }
  const detail = code === undefined ? '' : ` (${code})`;
  return `The scanner runtime at ${file} does not answer${detail}. See its log, and restart it.`;
}

async function checkProfile(
  profile: Profile,
  { scanner, signal }: ScannerCheckOptions,
): Promise<{ readonly device: Check; readonly settings: Check }> {
  const device = { id: 'scanner', subject: profile.device };
  const settings = { id: 'scanner.options', subject: profile.name };
  // The directory is not looked at.
  const place = { directory: profile.paths.output_dir, first_page: 1, first_sheet: 1 };
  const request = { ...scannerSettings(profile), ...place };
  try {
    const found = await scanner.checkScan(request, signal);
    return {
      device: ok(device, `The scanner is ${found.device}.`, { found: found.device }),
      settings: ok(settings, describe(profile)),
    };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const { option, value, valid_values } = error.facts;
    if (error.code === 'scan_option_rejected' && option !== 'device') {
      const findings = { found: String(value), expected: listed(valid_values) };
      const message = `Profile "${profile.name}": ${error.message}`;
      return {
        device: ok(device, 'The scanner answers.'),
        settings: fail(settings, message, findings),
      };
    }
    return {
      device: brokenDevice(device, error, signal),
      settings: skipped(settings, `the scanner "${profile.device}" cannot be used`),
    };
  }
}

function brokenDevice(
  about: Pick<Check, 'id' | 'subject'>,
  error: Failure,
  signal: AbortSignal,
): Check {
  if (signal.aborted) return unknown(about, 'The scanner did not answer in time.');
  // A scan of ours has it, and nothing is wrong; another program is another matter.
  const isScanning = /another scan|scan that is running/.test(error.message);
  if (error.code === 'scanner_busy' && isScanning) return skipped(about, 'a scan is running');
  return fail(about, error.message);
}

function describe({ source, mode, resolution, page_size }: Profile): string {
  const isAuto = page_size === 'auto';
  const size = isAuto ? 'pages of any size' : `${page_size.width_mm} x ${page_size.height_mm} mm`;
  return `It can scan ${source ?? 'its usual source'}, ${mode}, ${resolution} dpi, ${size}.`;
}

function listed(values: unknown): string | undefined {
  return Array.isArray(values) && values.length > 0 ? values.map(String).join(', ') : undefined;
}
