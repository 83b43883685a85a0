import type { Program } from '../child-process.ts';
import type { Device, DeviceRequest, ScanRequest } from '../ipc/messages.ts';
import { settable, type ScannerOption } from './option-lines.ts';
import { millimetreOption, PAGE_HEIGHT_OPTIONS, PAGE_WIDTH_OPTIONS } from './scan-area.ts';
import type { SourceInUse } from './sources.ts';

/**
 * The command lines of scanimage (sane-utils 1.2.1 and 1.3.1). A device's name may hold blanks, quotes and UTF-8: every
 * value is one argument, `--name=value`, so that none is taken for an option.
 */
export interface Scanimage {
  /** Program name or path. */
  readonly file: string;
  /** From `programEnvironment`, with SANE_CONFIG_DIR: without it SANE would look in the working directory first. */
  readonly env: Readonly<Record<string, string>>;
}

/** A device that is one scan's alone. */
export interface ClaimedDevice {
  readonly name: string;
  /** As this device can do it. */
  readonly request: DeviceRequest;
  /** As the scan will set them, checked. */
  readonly options: readonly ScannerOption[];
  readonly source: SourceInUse;
}

/**
 * Address space of one scanimage, in bytes: below what Docker and systemd give the scanner runtime in all (1 GB), so that
 * an image without an end costs one scan. sane-airscan needs 190 MB in all, as it writes lines as they come; a driver that
 * holds both sides of an A3 sheet at 600 dpi in colour needs 420 MB for them.
 */
export const SCANIMAGE_MEMORY_BYTES = 896 * 1024 * 1024;

/** Where no file is read or written. */
const NOWHERE = '/';
/** Between the fields of a device in the listing; no name has it. */
const FIELD_SEPARATOR = '\u001F';

/** Lists the devices; `parseDeviceList` reads it. */
export function listProgram({ file, env }: Scanimage): Program {
  const format = ['%d', '%v', '%m', '%t'].join(FIELD_SEPARATOR);
  return { file, env, cwd: NOWHERE, args: [`--formatted-device-list=${format}%n`] };
}

export function parseDeviceList(output: string): Device[] {
  const devices: Device[] = [];
  for (const line of output.split('\n')) {
    const [name, vendor, model, type] = line.split(FIELD_SEPARATOR);
    if (name && vendor !== undefined && model !== undefined && type !== undefined) {
      devices.push({ name, vendor, model, type });
    }
  }
  return devices;
}

/** Prints every option of a device, as they are once `settings` are made; moves no paper. */
export function describeProgram(
  { file, env }: Scanimage,
  device: string,
  settings: readonly string[] = [],
): Program {
  const args = [`--device-name=${device}`, ...settings, '--all-options'];
  return { file, env, cwd: NOWHERE, args };
}

/** Settings that decide which other options a device has; the source first, as the others depend on it. */
export function sourceAndMode(request: Pick<ScanRequest, 'source' | 'mode'>): string[] {
  return [
    ...(request.source === undefined ? [] : [`--source=${request.source}`]),
    `--mode=${request.mode}`,
  ];
}

/** `--name=yes` for booleans, whose value must be attached; a name of one letter takes one dash. */
export function setting(name: string, value: string | number | boolean): string[] {
  const text = typeof value === 'boolean' ? yesOrNo(value) : String(value);
  return name.length === 1 ? [`-${name}`, text] : [`--${name}=${text}`];
}

function yesOrNo(value: boolean): string {
  return value ? 'yes' : 'no';
}

/**
 * Scans a stack, one TIFF file a page, in the request's directory. scanimage prints a page's name on stdout when the
 * file is complete and under its final name, and asks on stderr before each page (`--batch-prompt`): a newline feeds
 * the next page, the end of stdin ends the batch without feeding another.
 */
export function scanProgram(
  { file, env }: Scanimage,
  { name, request, options, source }: ClaimedDevice,
): Program {
  const args = [
    `--device-name=${name}`,
    ...settingsOf(request, options),
    ...geometryOf(request, options),
    '--format=tiff',
    // Relative to the directory: a `%` in its path would be read as a format.
    '--batch=page-%04d.tif',
    `--batch-start=${request.first_page}`,
    '--batch-print',
    '--batch-prompt',
    // The glass never runs empty. A feeder gets no count: with one, running empty is no longer exit code 0.
    ...(source.feeder ? [] : ['--batch-count=1']),
  ];
  return { file, env, cwd: request.directory, args };
}

function settingsOf(request: DeviceRequest, options: readonly ScannerOption[]): string[] {
  const has = (name: string): boolean => settable(options, name) !== undefined;
  return [
    ...(request.source === undefined ? [] : setting('source', request.source)),
    ...(has('mode') ? setting('mode', request.mode) : []),
    ...(has('resolution') ? setting('resolution', request.resolution) : []),
    ...Object.entries(request.scanner_options).flatMap(([name, value]) => setting(name, value)),
  ];
}

/** The page at the origin; the paper's size too where the device has it, to centre the page (sane-fujitsu(5)). */
function geometryOf(request: DeviceRequest, options: readonly ScannerOption[]): string[] {
  if (request.area_unusable) return [];
  const { width_mm, height_mm } = request.page_size;
  const wanted: [names: readonly string[], value: number][] = [
    [PAGE_WIDTH_OPTIONS, width_mm],
    [PAGE_HEIGHT_OPTIONS, height_mm],
    [['l'], 0],
    [['t'], 0],
    [['x'], width_mm],
    [['y'], height_mm],
  ];
  return wanted.flatMap(([names, value]) => {
    const option = millimetreOption(options, names);
    if (option?.constraint.kind !== 'range') return [];
    const { min, max } = option.constraint;
    const isArea = option.name === 'x' || option.name === 'y';
    // The range of -x and -y grows with the paper's size, set just before; all else is kept within its range.
    return setting(option.name, isArea ? value : Math.min(Math.max(value, min), max));
  });
}
