import type { Program } from '../child-process.ts';
import type { Device, DeviceRequest, ScanRequest } from '../ipc/messages.ts';
import { settable, type ScannerOption } from './option-lines.ts';
import { millimetreOption, PAGE_HEIGHT_OPTIONS, PAGE_WIDTH_OPTIONS } from './scan-area.ts';
import type { SourceInUse } from './sources.ts';

/**
 * Command lines of scanimage (sane-utils 1.2.1 and 1.3.1). Device names may contain blanks, quotes
 * and UTF-8. Values are passed as `--name=value` in one argument, so that none is parsed as an
 * option.
 */
export interface Scanimage {
  readonly file: string;
  /** Includes SANE_CONFIG_DIR. Without it, SANE would search the working directory first. */
  readonly env: Readonly<Record<string, string>>;
}

/** A device reserved for one scan. */
export interface ClaimedDevice {
  readonly name: string;
  readonly request: DeviceRequest;
  /** The options as the scan will set them. */
  readonly options: readonly ScannerOption[];
  readonly source: SourceInUse;
}

/**
 * Address space of a scanimage process. Less than the 1 GB that Docker and systemd grant the
 * scanner runtime, so that an endless image fails one scan only. sane-airscan needs 190 MB. A
 * driver that buffers both sides of an A3 sheet at 600 dpi in colour needs 420 MB for them.
 */
export const SCANIMAGE_MEMORY_BYTES = 896 * 1024 * 1024;

/** Working directory of programs that read and write no files. */
const NOWHERE = '/';
/** A character that device names never contain. */
const FIELD_SEPARATOR = '\u001F';

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

/** Prints all options with `settings` applied. Moves no paper. */
export function describeProgram(
  { file, env }: Scanimage,
  device: string,
  settings: readonly string[] = [],
): Program {
  const args = [`--device-name=${device}`, ...settings, '--all-options'];
  return { file, env, cwd: NOWHERE, args };
}

/** The settings that other options depend on. The mode depends on the source. */
export function sourceAndMode(request: Pick<ScanRequest, 'source' | 'mode'>): string[] {
  return [
    ...(request.source === undefined ? [] : [`--source=${request.source}`]),
    `--mode=${request.mode}`,
  ];
}

/** scanimage needs `=` before a boolean's value, and a single dash before a one-letter name. */
export function setting(name: string, value: string | number | boolean): string[] {
  const text = typeof value === 'boolean' ? yesOrNo(value) : String(value);
  return name.length === 1 ? [`-${name}`, text] : [`--${name}=${text}`];
}

function yesOrNo(value: boolean): string {
  return value ? 'yes' : 'no';
}

/**
 * scanimage prints a page's name on stdout when its file is complete. It prompts on stderr before
 * each page (`--batch-prompt`): a newline feeds the page, the end of stdin ends the batch.
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
    // A relative name, since scanimage would interpret a `%` in a path.
    '--batch=page-%04d.tif',
    `--batch-start=${request.first_page}`,
    '--batch-print',
    '--batch-prompt',
    // The flatbed is never empty. A feeder has no count: with one, scanimage would not exit with 0
    // when the feeder is empty.
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

/** Position and size of the scan area. The paper size is set to centre it (sane-fujitsu(5)). */
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
    // Does not clamp -x and -y, which may be as large as the paper size that was set before.
    return setting(option.name, isArea ? value : Math.min(Math.max(value, min), max));
  });
}
