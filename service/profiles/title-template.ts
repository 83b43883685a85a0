import { NOT_IN_TITLES } from '../../helpers/processor-contract.ts';
import { MAX_TITLE_CHARACTERS, numberedTitle } from '../paperless/upload/title.ts';

export interface TitleFacts {
  readonly profile: string;
  /** What people call the profile. */
  readonly label: string;
  readonly scan_id: string;
  readonly started_at: Date;
  /** Which document of the scan this is, from 1, and how many there are. */
  readonly number: number;
  readonly count: number;
  /** The archive serial number, where the document has one. */
  readonly serial_number: number | undefined;
  /** The first line of text on the first page; empty where none was recognised. */
  readonly first_line: string;
}

/** The template of profiles that have none. */
export const DEFAULT_TITLE = '{profile} {date} {time}';

/** The template of the shipped profiles, and of saved ones whose base has none. */
export const FIRST_LINE_TITLE = '{first_line}';

/** For documents whose own template gives nothing, such as pages without text. */
const LAST_TITLE = '{label} {date}';

/** What a title template may name, and what it becomes. Dates and times are local (TZ). */
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

/** Those that tell the documents of a scan apart, if there is something in their place. */
const DISTINGUISHING = ['n', 'number', 'asn', 'first_line'];

/** Longest placeholder that is shown, in characters. */
const MAX_SHOWN = 40;

/** What is wrong with a title template, or undefined; a misspelled placeholder is found at load, not on paper. */
export function titlePlaceholderError(template: string): string | undefined {
  const names = [...template.matchAll(/\{(\w*)\}/g)].map((match) => match[1] ?? '');
  const unknown = names.find((name) => !PLACEHOLDERS.has(name));
  if (unknown === undefined) return undefined;
  const known = [...PLACEHOLDERS.keys()].map((name) => `{${name}}`).join(' ');
  return `has the unknown placeholder {${unknown.slice(0, MAX_SHOWN)}}: it must be one of ${known}`;
}

/**
 * The title of one document, never empty. Where a scan gives several and nothing in the title tells them apart, ` (2/10)` is
 * appended.
 */
export function documentTitle(template: string, facts: TitleFacts): string {
  const title = fill(template, facts) || fill(LAST_TITLE, facts);
  const isDistinct = DISTINGUISHING.some(
    (name) => template.includes(`{${name}}`) && PLACEHOLDERS.get(name)?.(facts) !== '',
  );
  if (facts.count > 1 && !isDistinct) return numberedTitle(title, facts.number, facts.count);
  // Placeholders may lengthen it beyond what the processor takes.
  return Array.from(title).slice(0, MAX_TITLE_CHARACTERS).join('');
}

/** What was recognised may hold anything, and a placeholder without a value leaves a gap. */
function fill(template: string, facts: TitleFacts): string {
  return template
    .replaceAll(/\{(\w+)\}/g, (text, name: string) => PLACEHOLDERS.get(name)?.(facts) ?? text)
    .replaceAll(new RegExp(NOT_IN_TITLES, 'gu'), ' ')
    .replaceAll(/ {2,}/g, ' ')
    .trim();
}

/** What Tesseract makes of frames, rules, bullets and logos. */
const NOISE = /^[\p{S}|_•·«»"“”„'‘’*#<>/\\[\]—–-]+$/u;
const NOISE_AT_ENDS = /^[\p{S}|_•·«»*#<>/\\—–-]+|[\p{S}|_•·«»*#<>/\\—–-]+$/gu;

/** Letters of a word; in scripts that write no vowels, or whole words as one character, fewer say as much. */
const LETTERS = /\p{Lu}\p{L}{2}|\p{Ll}{3}|\p{Lo}{2}/u;

/** Letters and digits are at least this share of a line that is text. */
const TEXT_SHARE = 0.6;

/** A line without what is no text; empty where nothing is left that says what the paper is, as with a number or a logo. */
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
