import type { DeviceRequest, ScanRequest } from '../ipc/messages.ts';
import { cutTo, fitsOn } from '../paper.ts';
import { grayMode } from '../scanner-words.ts';
import { settable, type ScannerOption } from './option-lines.ts';
import { isAreaUnusable, largestPage } from './scan-area.ts';

/**
 * Options that detect the paper, best first: fujitsu, canon_dr and kvs1025; canon_dr; fujitsu;
 * epsonds; kvs40xx; hs2p.
 */
const DETECTING_OPTIONS = [
  'swcrop',
  'hwcrop',
  'hwdeskewcrop',
  'adf-crp',
  'crop',
  'auto-size',
] as const;

/** Legal, the longest office paper. Reserves disk space if the largest page is unknown. */
const LONGEST = { width_mm: 215.9, height_mm: 355.6 };

/**
 * Without lineart, scans gray for later conversion. Page size `auto` becomes the largest page, with
 * paper detection if the driver has it. Paper slightly larger than the scan area is cut to it.
 */
export function fitRequest(request: ScanRequest, options: readonly ScannerOption[]): DeviceRequest {
  const mode = usableMode(request.mode, options);
  const { page_size } = request;
  const largest = largestPage(options);
  const fitted = { ...request, mode, ...(isAreaUnusable(options) && { area_unusable: true }) };
  if (page_size === 'auto') {
    const scanner_options = { ...detection(options), ...request.scanner_options };
    return { ...fitted, page_size: largest ?? LONGEST, scanner_options };
  }
  const cut = largest && fitsOn(page_size, largest) ? cutTo(page_size, largest) : page_size;
  return { ...fitted, page_size: cut, ...(cut !== page_size && { paper: page_size }) };
}

export function detectsPaper({ scanner_options }: Pick<ScanRequest, 'scanner_options'>): boolean {
  return DETECTING_OPTIONS.some((name) => isOn(scanner_options[name]));
}

/** True for a yes/no or numeric option that has an effect. */
export function isOn(value: string | number | boolean | undefined): boolean {
  return value !== undefined && value !== false && value !== 'no' && value !== 0;
}

function usableMode(mode: string, options: readonly ScannerOption[]): string {
  const offered = settable(options, 'mode')?.constraint;
  if (mode !== 'Lineart' || offered?.kind !== 'words' || offered.values.includes(mode)) return mode;
  return grayMode(offered.values) ?? mode;
}

function detection(options: readonly ScannerOption[]): ScanRequest['scanner_options'] {
  const name = DETECTING_OPTIONS.find((one) => settable(options, one)?.constraint.kind === 'bool');
  return name === undefined ? {} : { [name]: true };
}
