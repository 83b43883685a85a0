import { Failure } from '../failure.ts';
import type { ScanRequest, Sides } from '../ipc/messages.ts';
import { namesDuplex, namesFeeder } from '../scanner-words.ts';
import { settable, type ScannerOption } from './option-lines.ts';

/**
 * Options that select the sides: `adf-mode` of epson2, kodakaio and magicolor, `adf_mode` of epson,
 * `duplex` of bh, hpaio, hs2p, kvs1025, kvs20xx, kvs40xx and matsushita.
 */
const SIDES_OPTIONS: readonly string[] = ['adf-mode', 'adf_mode', 'duplex'];

const SAYS_BOTH = /^(?:true|yes|on)$|duplex|both/iu;

interface SidesOption {
  readonly name: string;
  readonly current: Sides;
  readonly values: Readonly<Record<Sides, string | boolean>>;
}

type Value = string | number | boolean | undefined;

/** Considers the request's options, or else the device's current values. */
export function hasBothSidesOn(
  { scanner_options }: Pick<ScanRequest, 'scanner_options'>,
  options: readonly ScannerOption[],
): boolean {
  return SIDES_OPTIONS.some((name) =>
    saysBoth(scanner_options[name] ?? settable(options, name)?.current),
  );
}

function saysBoth(value: Value): boolean {
  return value !== undefined && SAYS_BOTH.test(String(value));
}

export function sidesOption(options: readonly ScannerOption[]): SidesOption | undefined {
  for (const name of SIDES_OPTIONS) {
    const option = settable(options, name);
    const values = option && valuesOf(option);
    if (values) return { name, current: saysBoth(option.current) ? 'both' : 'one', values };
  }
  return undefined;
}

function valuesOf({ constraint }: ScannerOption): SidesOption['values'] | undefined {
  if (constraint.kind === 'bool') return { one: false, both: true };
  if (constraint.kind !== 'words') return undefined;
  const both = constraint.values.find(saysBoth);
  const one = constraint.values.find((value) => !saysBoth(value));
  return both === undefined || one === undefined ? undefined : { one, both };
}

export function sidesOf(
  { name, feeder }: { readonly name: string | undefined; readonly feeder: boolean },
  options: readonly ScannerOption[],
): readonly Sides[] {
  if (name !== undefined && namesDuplex(name)) return ['both'];
  return feeder && sidesOption(options) ? ['one', 'both'] : ['one'];
}

/** The requested source or its counterpart. `options` belong to the requested source. */
export function sourceForSides(
  { source, sides }: Pick<ScanRequest, 'source' | 'sides'>,
  options: readonly ScannerOption[],
): string | undefined {
  const offered = settable(options, 'source');
  if (sides === undefined || offered?.constraint.kind !== 'words') return source;
  const { values } = offered.constraint;
  if (sides === 'both' && source === undefined) {
    return values.find(namesDuplex) ?? values.find(namesFeeder);
  }
  const used = source ?? offered.current ?? '';
  const feeder = namesFeeder(used);
  if (!feeder || sidesOf({ name: used, feeder }, options).includes(sides)) return source;
  const others = values.filter(
    (value) => namesFeeder(value) && namesDuplex(value) === (sides === 'both'),
  );
  return nearestTo(used, others) ?? source;
}

/** Returns the source with the longest common prefix: ADF Duplex for ADF Front. */
function nearestTo(source: string, others: readonly string[]): string | undefined {
  return others.toSorted((a, b) => commonStart(b, source) - commonStart(a, source))[0];
}

function commonStart(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}

/** Sets the option for the sides. Throws `Failure('scan_option_rejected')` if unsupported. */
export function withSides(request: ScanRequest, options: readonly ScannerOption[]): ScanRequest {
  const { sides, source: name = settable(options, 'source')?.current } = request;
  if (sides === undefined) return request;
  const offered = sidesOf({ name, feeder: name === undefined || namesFeeder(name) }, options);
  if (!offered.includes(sides)) throw refused(sides, name);
  const option = offered.length > 1 ? sidesOption(options) : undefined;
  const isToSet = option !== undefined && option.current !== sides;
  const setting = isToSet ? { [option.name]: option.values[sides] } : {};
  const others = Object.entries(request.scanner_options).filter(
    ([name]) => !SIDES_OPTIONS.includes(name),
  );
  return { ...request, scanner_options: { ...setting, ...Object.fromEntries(others) } };
}

const NOT_BOTH = [
  'The scanner cannot scan both sides of a sheet',
  'Leave sides out. The second sides of a stack can be fed afterwards: see "side": "backs".',
] as const;
const NOT_ONE = ['The scanner only scans both sides of a sheet', 'Set sides to both.'] as const;

function refused(sides: Sides, source: string | undefined): Failure {
  const [what, remedy] = sides === 'both' ? NOT_BOTH : NOT_ONE;
  const from = source === undefined ? '' : ` from the source "${source}"`;
  const other: Sides = sides === 'both' ? 'one' : 'both';
  const facts = { option: 'sides', value: sides, valid_values: [other], nearest: other };
  return new Failure('scan_option_rejected', `${what}${from}.`, { remedy, facts });
}
