import { MAX_TITLE_CHARACTERS, numberedTitle } from '../destinations/title.ts';

export interface TitleFacts {
  readonly profile: string;
  readonly scan_id: string;
  readonly started_at: Date;
  /** Which document of the scan this is, from 1, and how many there are. */
  readonly number: number;
  readonly count: number;
}

/** What a title template may name, and what it becomes. Dates and times are local (TZ). */
const PLACEHOLDERS: ReadonlyMap<string, (facts: TitleFacts) => string> = new Map([
  ['profile', ({ profile }) => profile],
  [
    'date',
    ({ started_at: at }) =>
      `${at.getFullYear()}-${twoDigits(at.getMonth() + 1)}-${twoDigits(at.getDate())}`,
  ],
  ['time', ({ started_at: at }) => `${twoDigits(at.getHours())}:${twoDigits(at.getMinutes())}`],
  ['scan_id', ({ scan_id }) => scan_id],
  ['number', ({ number }) => String(number)],
  ['count', ({ count }) => String(count)],
]);

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

/** The title of one document. Where a scan gives several and the template does not number them, ` (2/10)` is appended. */
export function documentTitle(template: string, facts: TitleFacts): string {
  const title = template.replaceAll(
    /\{(\w+)\}/g,
    (text, name: string) => PLACEHOLDERS.get(name)?.(facts) ?? text,
  );
  const numbered = facts.count === 1 || template.includes('{number}');
  if (!numbered) return numberedTitle(title, facts.number, facts.count);
  // Placeholders may lengthen it beyond what the processor takes.
  return Array.from(title).slice(0, MAX_TITLE_CHARACTERS).join('');
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}
