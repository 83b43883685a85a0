import { NOT_IN_TITLES } from '../../helpers/processor-contract.ts';
import { MAX_TITLE_CHARACTERS, numberedTitle } from '../paperless/upload/title.ts';

export interface TitleFacts {
  readonly profile: string;
  readonly label: string;
  readonly scan_id: string;
  readonly started_at: Date;
  /** Number of the document in the scan, from 1, and how many there are. */
  readonly number: number;
  readonly count: number;
  readonly serial_number: number | undefined;
  /** First recognized line of the first page. Empty if there is none. */
  readonly first_line: string;
}

export const DEFAULT_TITLE = '{profile} {date} {time}';

/** Template of shipped profiles, and of buttons whose base has none. */
export const FIRST_LINE_TITLE = '{first_line}';

/** Template for documents whose title would be empty. */
const LAST_TITLE = '{label} {date}';

/** Values by placeholder. Dates and times are local (TZ). */
const PLACEHOLDERS: ReadonlyMap<string, (facts: TitleFacts) => string> = new Map([
  ['profile', ({ profile }) => profile],
  ['label', ({ label }) => label],
  [
    'date',
    ({ started_at: at }) =>
      `${at.getFullYear()}-${twoDigits(at.getMonth() + 1)}-${twoDigits(at.getDate())}`,
  ],
  ['time', ({ started_at: at }) => `${twoDigits(at.getHours())}:${twoDigits(at.getMinutes())}`],
  ['scan_id', ({ scan_id }) => scan_id],
  ['n', ({ number }) => String(number)],
  ['number', ({ number }) => String(number)],
  ['count', ({ count }) => String(count)],
  ['asn', ({ serial_number: asn }) => (asn === undefined ? '' : String(asn))],
  ['first_line', ({ first_line }) => worthATitle(first_line)],
]);

/**
 * Placeholders that give each document of a scan a different title, unless their value is empty.
 */
const DISTINGUISHING = ['n', 'number', 'asn', 'first_line'];

const MAX_SHOWN = 40;

/** Returns the problem of a template, so that it is reported when the profile is loaded. */
export function titlePlaceholderError(template: string): string | undefined {
  const names = [...template.matchAll(/\{(\w*)\}/g)].map((match) => match[1] ?? '');
  const unknown = names.find((name) => !PLACEHOLDERS.has(name));
  if (unknown === undefined) return undefined;
  const known = [...PLACEHOLDERS.keys()].map((name) => `{${name}}`).join(' ');
  return `has the unknown placeholder {${unknown.slice(0, MAX_SHOWN)}}: it must be one of ${known}`;
}

/** Returns a title that is not empty. Adds ` (2/10)` if the titles would be the same. */
export function documentTitle(template: string, facts: TitleFacts): string {
  const title = fill(template, facts) || fill(LAST_TITLE, facts);
  const isDistinct = DISTINGUISHING.some(
    (name) => template.includes(`{${name}}`) && PLACEHOLDERS.get(name)?.(facts) !== '',
  );
  if (facts.count > 1 && !isDistinct) return numberedTitle(title, facts.number, facts.count);
  // With its values, a title may be longer than the processor allows.
  return Array.from(title).slice(0, MAX_TITLE_CHARACTERS).join('');
}

/** Cleans recognized text, and closes the gaps that empty values leave. */
function fill(template: string, facts: TitleFacts): string {
  return template
    .replaceAll(/\{(\w+)\}/g, (text, name: string) => PLACEHOLDERS.get(name)?.(facts) ?? text)
    .replaceAll(new RegExp(NOT_IN_TITLES, 'gu'), ' ')
    .replaceAll(/ {2,}/g, ' ')
    .trim();
}

/** Tesseract reads this in frames, rules, bullets and logos. */
const NOISE = /^[\p{S}|_•·«»"“”„'‘’*#<>/\\[\]—–-]+$/u;
const NOISE_AT_ENDS = /^[\p{S}|_•·«»*#<>/\\—–-]+|[\p{S}|_•·«»*#<>/\\—–-]+$/gu;

/** A line needs this many letters in a row to be a title. Scripts without case need two. */
const LETTERS = /\p{Lu}\p{L}{2}|\p{Ll}{3}|\p{Lo}{2}/u;

/** Minimum share of letters and digits in a line. */
const TEXT_SHARE = 0.6;

/** Removes noise. Returns an empty text if the rest is not a title, such as a number or a logo. */
function worthATitle(line: string): string {
  const words = line.split(/\s+/u).filter((word) => !NOISE.test(word));
  const text = words.join(' ').replaceAll(NOISE_AT_ENDS, '').trim();
  const characters = text.match(/\S/gu)?.length ?? 0;
  const readable = text.match(/[\p{L}\p{M}\p{N}]/gu)?.length ?? 0;
  return LETTERS.test(text) && readable >= characters * TEXT_SHARE ? text : '';
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}
