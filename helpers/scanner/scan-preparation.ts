import { runProgram, type Ended, type RunOptions } from '../child-process.ts';
import type { Device, DeviceRequest, ScanRequest } from '../ipc/messages.ts';
import { sourceForSides, withSides } from './both-sides.ts';
import { fitRequest } from './fit-request.ts';
import { checkScan, checkSource, inactiveOptions } from './option-checks.ts';
import { parseOptions, type ScannerOption } from './option-lines.ts';
import { failureOfExit } from './scanimage-failure.ts';
import {
  describeProgram,
  listProgram,
  parseDeviceList,
  SCANIMAGE_MEMORY_BYTES,
  setting,
  sourceAndMode,
  type Scanimage,
} from './scanimage.ts';

/** Every driver searches, also on the network. Took 3.4 s with Debian's configuration. */
export const LIST_TIMEOUT_MS = 60_000;

/** Time to open a device. sane-airscan waits 5 s, and USB scanners wake up within seconds. */
const DESCRIBE_TIMEOUT_MS = 30_000;

/** At SIGINT, scanimage first closes an open device (see scan-halt.ts). */
function limitsOf(timeoutMs: number, signal: AbortSignal): RunOptions {
  return { timeoutMs, memoryBytes: SCANIMAGE_MEMORY_BYTES, signal, stopSignal: 'SIGINT' };
}

export async function listDevices(tool: Scanimage, signal: AbortSignal): Promise<Device[]> {
  const ended = await runProgram(listProgram(tool), limitsOf(LIST_TIMEOUT_MS, signal));
  if (ended.exitCode !== 0) throw failureOfExit(ended);
  return parseDeviceList(ended.stdout);
}

/** The options of a device with a source, or with its default source. Throws `Failure`. */
export async function readOptions(
  tool: Scanimage,
  device: string,
  source: string | undefined,
  signal: AbortSignal,
): Promise<ScannerOption[]> {
  const settings = source === undefined ? [] : setting('source', source);
  const ended = await describe(tool, device, settings, signal);
  const failure = ended.exitCode === 0 ? undefined : failureOfExit(ended, { device });
  if (failure && (source === undefined || failure.code !== 'scan_option_rejected')) throw failure;
  const options = failure
    ? await readOptions(tool, device, undefined, signal)
    : parseOptions(ended.stdout);
  checkSource({ source }, options);
  // The device rejected a source from its own list.
  if (failure) throw failure;
  return options;
}

export interface PreparedScan {
  readonly request: DeviceRequest;
  readonly options: readonly ScannerOption[];
}

/** Adapts a request to its device, and checks it against the options. Never moves paper. */
export async function prepareScan(
  tool: Scanimage,
  device: string,
  asked: ScanRequest,
  signal: AbortSignal,
): Promise<PreparedScan> {
  const first = await optionsFor(tool, device, asked, signal);
  checkSource(asked, first);
  const source = sourceForSides(asked, first);
  const sourced = { ...asked, source };
  const options = source === asked.source ? first : await optionsFor(tool, device, sourced, signal);
  const request = fitRequest(withSides(sourced, options), options);
  const inactive = inactiveOptions(request, options);
  checkScan(without(request, inactive), options);
  if (Object.keys(request.scanner_options).length === 0) return { request, options };
  const set = await withScannerOptions(tool, device, { request, inactive, options }, signal);
  checkScan(request, set);
  return { request, options: set };
}

async function optionsFor(
  tool: Scanimage,
  device: string,
  asked: Pick<ScanRequest, 'source' | 'mode'>,
  signal: AbortSignal,
): Promise<readonly ScannerOption[]> {
  const ended = await describe(tool, device, sourceAndMode(asked), signal);
  if (ended.exitCode === 0) return parseOptions(ended.stdout);
  const failure = failureOfExit(ended, { device });
  if (failure.code !== 'scan_option_rejected') throw failure;
  // The device's own lists show which value was rejected.
  return readOptions(tool, device, asked.source, signal);
}

function without(request: DeviceRequest, names: readonly string[]): DeviceRequest {
  const kept = Object.entries(request.scanner_options).filter(([name]) => !names.includes(name));
  return { ...request, scanner_options: Object.fromEntries(kept) };
}

interface Inactive {
  readonly request: DeviceRequest;
  readonly inactive: readonly string[];
  readonly options: readonly ScannerOption[];
}

/**
 * Reads the options again with the requested ones set, since one may activate another, or remove
 * the page size. Skips inactive options, which scanimage rejects, and buttons, which it would
 * press.
 */
async function withScannerOptions(
  tool: Scanimage,
  device: string,
  { request, inactive, options }: Inactive,
  signal: AbortSignal,
): Promise<ScannerOption[]> {
  const buttons = options.filter(({ constraint }) => constraint.kind === 'button');
  const pressed = buttons.map(({ name }) => name);
  const others = without(request, [...inactive, ...pressed]).scanner_options;
  const settings = Object.entries(others).flatMap(([name, value]) => setting(name, value));
  const all = [...sourceAndMode(request), ...settings];
  const ended = await describe(tool, device, all, signal);
  return ended.exitCode === 0 ? parseOptions(ended.stdout) : [...options];
}

async function describe(
  tool: Scanimage,
  device: string,
  settings: readonly string[],
  signal: AbortSignal,
): Promise<Ended> {
  const program = describeProgram(tool, device, settings);
  return runProgram(program, limitsOf(DESCRIBE_TIMEOUT_MS, signal));
}
