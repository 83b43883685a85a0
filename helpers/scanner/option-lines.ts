/**
 * Parses the options printed by `scanimage -A`. An option is one line indented by four blanks, its
 * explanation by eight (frontend/scanimage.c, print_option):
 *
 *     --source Flatbed|ADF|ADF Duplex [Flatbed]
 *     --resolution 50..600dpi (in steps of 1) [600]
 *     --swdeskew[=(yes|no)] [no] [advanced]
 *     --scan[=(yes|no)] [no] [hardware]
 *     --page-width 0..224.846mm (in steps of 0.0211639) [inactive]
 */
export interface ScannerOption {
  /** Without dashes. */
  readonly name: string;
  readonly constraint: Constraint;
  /** `mm`, `dpi`, `%`, `pel`, `bit`, `us` or empty. */
  readonly unit: string;
  /** As printed. Undefined for inactive options, arrays and buttons. */
  readonly current: string | undefined;
  /** An inactive option depends on another one, and cannot be set now. */
  readonly active: boolean;
  /** False for sensors and buttons, marked `[hardware]` or `[read-only]`. */
  readonly settable: boolean;
}

export type Constraint =
  | { readonly kind: 'bool' }
  | { readonly kind: 'button' }
  | { readonly kind: 'any' }
  | { readonly kind: 'words'; readonly values: readonly string[] }
  | { readonly kind: 'numbers'; readonly values: readonly number[] }
  /** With `step` 0, any value in the range is valid. */
  | { readonly kind: 'range'; readonly min: number; readonly max: number; readonly step: number };

/** plustek's button names contain a blank: `--button 0[=(yes|no)]`. */
const OPTION_LINE = /^ {4}--?(?<name>[a-zA-Z0-9][\w-]*(?: \d+(?=\[=\())?)(?<rest>.*)$/u;
const FLAG = / \[(?<flag>inactive|hardware|read-only|advanced)\]$/u;
const STEP = / \(in steps of (?<step>[\d.e+-]+)\)$/u;
const RANGE = /^(?<min>-?[\d.]+(?:e[+-]?\d+)?)\.\.(?<max>-?[\d.]+(?:e[+-]?\d+)?)(?<unit>\D*)$/u;
const LAST_NUMBER = /^(?<number>-?[\d.]+(?:e[+-]?\d+)?)(?<unit>mm|dpi|%|pel|bit|us)?$/u;

/** Skips lines that are not options. */
export function parseOptions(output: string): ScannerOption[] {
  const options: ScannerOption[] = [];
  for (const line of output.split('\n')) {
    const { name, rest } = OPTION_LINE.exec(line)?.groups ?? {};
    if (name !== undefined && rest !== undefined) options.push(parseOption(name, rest));
  }
  return options;
}

function parseOption(name: string, rest: string): ScannerOption {
  const flags = new Set<string>();
  let text = rest;
  for (let flag = FLAG.exec(text); flag; flag = FLAG.exec(text)) {
    flags.add(flag.groups?.['flag'] ?? '');
    text = text.slice(0, flag.index);
  }
  const active = !flags.has('inactive');
  const valueAt = text.endsWith(']') && active ? valueStart(text) : -1;
  const current = valueAt === -1 ? undefined : text.slice(valueAt + 2, -1);
  const { constraint, unit } = parseConstraint(valueAt === -1 ? text : text.slice(0, valueAt));
  const settable = !flags.has('hardware') && !flags.has('read-only');
  return { name, constraint, unit, current, active, settable };
}

/** The index of the current value. Free text may contain brackets, value lists may not. */
function valueStart(text: string): number {
  return text.startsWith(' <') ? text.indexOf(' [') : text.lastIndexOf(' [');
}

function parseConstraint(text: string): { constraint: Constraint; unit: string } {
  if (text.startsWith('[=(')) return { constraint: { kind: 'bool' }, unit: '' };
  if (text.trim() === '') return { constraint: { kind: 'button' }, unit: '' };
  const step = Number(STEP.exec(text)?.groups?.['step'] ?? 0);
  // A leading `auto|` means that the device may choose; lists of numbers then start with another
  // `|`. A trailing `,...` allows several values. A second leading blank belongs to the word
  // (epson, --bay).
  const values = text
    .replace(STEP, '')
    .replace(/^ /u, '')
    .replace(/^auto\|+/u, '')
    .replace(/,\.\.\.$/u, '');
  const range = RANGE.exec(values)?.groups;
  if (range) {
    const { min, max, unit = '' } = range;
    return { constraint: { kind: 'range', min: Number(min), max: Number(max), step }, unit };
  }
  if (/^<(?:int|float|string)>$/u.test(values)) return { constraint: { kind: 'any' }, unit: '' };
  return parseList(values.split('|'));
}

/** The option, if it is active and can be set. */
export function settable(
  options: readonly ScannerOption[],
  name: string,
): ScannerOption | undefined {
  return options.find((option) => option.name === name && option.active && option.settable);
}

/** The unit follows the last number. If any value is not a number, it is a list of words. */
function parseList(values: readonly string[]): { constraint: Constraint; unit: string } {
  const { number, unit = '' } = LAST_NUMBER.exec(values.at(-1) ?? '')?.groups ?? {};
  const numbers = [...values.slice(0, -1), number ?? ''].map((value) =>
    value === '' ? Number.NaN : Number(value),
  );
  if (numbers.some((value) => Number.isNaN(value))) {
    return { constraint: { kind: 'words', values }, unit: '' };
  }
  return { constraint: { kind: 'numbers', values: numbers }, unit };
}
