import path from 'node:path';
import { runProgram } from '../child-process.ts';
import { Failure } from '../failure.ts';
import { SCANIMAGE_MEMORY_BYTES, type Scanimage } from './scanimage.ts';

/** Time limit for querying every device on the bus, usually a dozen, in milliseconds. */
const USB_SEARCH_TIMEOUT_MS = 5000;

const SCANNER = /^found (?:possible )?USB scanner \((?<what>.*)\) at (?<where>\S+)/u;

/**
 * `could not open USB device 0x04a9/0x1909 at 001:005: Access denied (insufficient permissions)`,
 * or `…: Input/output error` if a container's or unit's device rules block it. Excludes 1d6b, the
 * machine's own hubs.
 */
const DENIED =
  /^could not open USB device (?!0x1d6b\/0x000)(?<what>\S+) at (?<where>\S+): (?:Access denied|Input\/output error)/iu;

/** Most devices that a message names. Keyboards and hubs may be denied too. */
const MAX_NAMED = 5;

export interface UsbSearchOptions {
  /** No driver found a scanner, so a scanner on the bus has no driver. */
  readonly isNoneListed: boolean;
  readonly signal: AbortSignal;
}

/**
 * Adds scanners on the USB bus to a failure. `sane-find-scanner` recognizes them without a driver.
 * Returns the failure unchanged if it finds nothing or cannot run.
 */
export async function explainWithUsb(
  failure: Failure,
  { file, env }: Scanimage,
  { isNoneListed, signal }: UsbSearchOptions,
): Promise<Failure> {
  const beside = path.isAbsolute(file) ? path.dirname(file) : '';
  const program = { file: path.join(beside, 'sane-find-scanner'), args: ['-q'], cwd: '/', env };
  const limits = { timeoutMs: USB_SEARCH_TIMEOUT_MS, memoryBytes: SCANIMAGE_MEMORY_BYTES, signal };
  const { stdout, stderr } = await runProgram(program, limits);
  const lines = `${stdout}\n${stderr}`.split('\n');
  const found = isNoneListed ? named(lines, SCANNER) : [];
  const denied = named(lines, DENIED);
  const shown =
    found.length > 0
      ? `There is a scanner on USB that no driver claims, ${found.join(', ')}: install its driver, and check that the scanner runtime may use the device.`
      : `The scanner runtime may not open the USB device ${denied.join(', ')}: if that is the scanner, see deploy/udev.`;
  if (found.length + denied.length === 0) return failure;
  const facts = { ...failure.facts, usb: found.length > 0 ? found : denied };
  const remedy = [shown, failure.remedy].filter(Boolean).join(' ');
  return new Failure(failure.code, failure.what, { remedy, facts, cause: failure });
}

function named(lines: readonly string[], pattern: RegExp): string[] {
  return lines
    .flatMap((line) => {
      const { what, where } = pattern.exec(line)?.groups ?? {};
      return what === undefined ? [] : [`${what} at ${where}`];
    })
    .slice(0, MAX_NAMED);
}
