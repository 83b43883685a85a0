import { Failure } from '../failure.ts';
import type { DeviceRequest, PageSize, ScanRequest } from '../ipc/messages.ts';
import { nearNames } from '../near.ts';
import { settable, type Constraint, type ScannerOption } from './option-lines.ts';
import { fitsOn, asSetting, nearestPaper, sizeText } from '../paper.ts';
import { grayMode, namesFeeder } from '../scanner-words.ts';
import { largestPage, PAGE_HEIGHT_OPTIONS, PAGE_WIDTH_OPTIONS } from './scan-area.ts';

/** Set by fields of the profile. Given twice, one of the values would silently be lost. */
const OWN_OPTIONS: readonly string[] = [
  'source',
  'mode',
  'resolution',
  'l',
  't',
  'x',
  'y',
  ...PAGE_WIDTH_OPTIONS,
  ...PAGE_HEIGHT_OPTIONS,
];

/**
 * Checks exactly and before feeding paper, because scanimage ignores case, accepts abbreviations
 * and rounds numbers. Throws `Failure('scan_option_rejected')` with the valid values and the
 * nearest one. If the device lacks an option, the scanned page is checked instead.
 */
export function checkScan(request: DeviceRequest, options: readonly ScannerOption[]): void {
  checkSource(request, options);
  const mode = settable(options, 'mode');
  if (mode?.constraint.kind === 'words') checkMode(request.mode, mode.constraint.values);
  const resolution = settable(options, 'resolution');
  if (resolution) checkValue('resolution', request.resolution, resolution.constraint);
  checkPageSize(request.page_size, options);
  for (const [name, value] of Object.entries(request.scanner_options)) {
    checkScannerOption(name, value, options);
  }
}

/** Lineart is also valid if it can be derived from gray. */
function checkMode(mode: string, modes: readonly string[]): void {
  if (modes.includes(mode)) return;
  const isMade = grayMode(modes) !== undefined && !modes.includes('Lineart');
  reject('mode', mode, isMade ? [...modes, 'Lineart'] : modes);
}

export function checkSource(
  { source }: Pick<ScanRequest, 'source'>,
  options: readonly ScannerOption[],
): void {
  if (source === undefined) return;
  const offered = settable(options, 'source');
  if (offered?.constraint.kind === 'words') {
    const { values } = offered.constraint;
    // For the name of a feeder, suggest a feeder, however it is spelled.
    const alike = values.filter((value) => namesFeeder(value) === namesFeeder(source));
    const nearest = alike.length === 1 ? alike[0] : nearNames(source, alike)[0];
    if (!values.includes(source)) reject('source', source, values, adviceFor(nearest));
  } else if (!offered) {
    reject('source', source, [], 'It has only one source: leave source out.');
  }
}

/** Requested options that have no effect with the other settings. */
export function inactiveOptions(request: ScanRequest, options: readonly ScannerOption[]): string[] {
  const inactive = options.filter(({ active }) => !active).map(({ name }) => name);
  return Object.keys(request.scanner_options).filter((name) => inactive.includes(name));
}

function checkPageSize(size: DeviceRequest['page_size'], options: readonly ScannerOption[]): void {
  const largest = largestPage(options);
  if (!largest || fitsOn(size, largest)) return;
  const limit = sizeText(largest);
  const nearest = nearestPaper(size, largest);
  const text = `The largest page with this source is ${limit}: set page_size: ${asSetting(nearest)}.`;
  reject('page_size', sizeText(size), [`up to ${limit}`], { text, nearest });
}

function checkScannerOption(
  name: string,
  value: string | number | boolean,
  options: readonly ScannerOption[],
): void {
  if (OWN_OPTIONS.includes(name)) {
    const advice =
      'Set it by the fields of the profile instead: source, mode, resolution, page_size.';
    reject(name, value, [], advice);
  }
  const option = options.find((option) => option.name === name);
  if (!option?.settable) {
    const others = options.filter((option) => option.active && option.settable);
    const names = others.map((option) => option.name).filter((name) => !OWN_OPTIONS.includes(name));
    const nearest = nearNames(name, names)[0];
    const facts = { option: name, value, valid_values: names, ...(nearest && { nearest }) };
    const advice = nearest ? ` Did you mean ${nearest}?` : '';
    const remedy = `It has ${names.join(', ')}.${advice}`;
    const what = `The scanner has no option ${name} that can be set.`;
    throw new Failure('scan_option_rejected', what, { remedy, facts });
  }
  if (!option.active) {
    const advice =
      'The option is inactive with this source and mode: leave it out, or also set the option that it depends on.';
    reject(name, value, [], advice);
  }
  checkValue(name, value, option.constraint);
}

function checkValue(name: string, value: string | number | boolean, constraint: Constraint): void {
  switch (constraint.kind) {
    case 'bool':
      if (typeof value !== 'boolean') checkWord(name, String(value), ['yes', 'no']);
      break;
    case 'words':
      checkWord(name, String(value), constraint.values);
      break;
    case 'numbers':
      if (!constraint.values.includes(asNumber(value)))
        rejectNumber(name, value, constraint.values);
      break;
    case 'range':
      checkRange(name, value, constraint);
      break;
    case 'button':
    case 'any':
      break;
  }
}

function checkWord(name: string, value: string, valid: readonly string[]): void {
  if (!valid.includes(value)) reject(name, value, valid);
}

function rejectNumber(
  name: string,
  value: string | number | boolean,
  valid: readonly number[],
): void {
  const asked = asNumber(value);
  const byDistance = valid.toSorted((a, b) => Math.abs(a - asked) - Math.abs(b - asked));
  reject(name, value, valid, adviceFor(byDistance[0]));
}

type Range = Extract<Constraint, { kind: 'range' }>;

function checkRange(name: string, value: string | number | boolean, range: Range): void {
  const { min, max, step } = range;
  const asked = asNumber(value);
  const kept = Math.min(Math.max(Number.isNaN(asked) ? min : asked, min), max);
  // Steps below 1 come from SANE's fixed-point rounding and do not restrict values.
  const nearest = step >= 1 ? min + Math.round((kept - min) / step) * step : kept;
  if (asked === kept && Math.abs(nearest - asked) < 0.01) return;
  const valid = `${min} to ${max}${step > 1 ? ` in steps of ${step}` : ''}`;
  reject(name, value, [valid], adviceFor(nearest));
}

function asNumber(value: string | number | boolean): number {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN;
}

interface Advice {
  readonly text: string;
  readonly nearest: string | number | PageSize | undefined;
}

function adviceFor(nearest: string | number | undefined): Advice {
  return { text: nearest === undefined ? '' : `Did you mean ${nearest}?`, nearest };
}

function reject(
  option: string,
  value: string | number | boolean,
  valid: readonly (string | number)[],
  advice: string | Advice = adviceFor(nearNames(String(value), valid.map(String))[0]),
): never {
  const { text, nearest } =
    typeof advice === 'string' ? { text: advice, nearest: undefined } : advice;
  const offers = valid.length > 0 ? `It offers ${valid.map(String).join(', ')}.` : '';
  const remedy = [offers, text].filter(Boolean).join(' ') || undefined;
  const facts = { option, value, valid_values: valid, ...(nearest !== undefined && { nearest }) };
  const what = `The scanner does not accept ${option} "${value}".`;
  throw new Failure('scan_option_rejected', what, { remedy, facts });
}
