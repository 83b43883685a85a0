import { MAX_TITLE_CHARACTERS, numberedTitle } from '../destinations/title.ts';

/** What a title template may name, with what it becomes. */
const PLACEHOLDERS = ['profile', 'date', 'time', 'scan_id', 'number', 'count'] as const;

type Placeholder = (typeof PLACEHOLDERS)[number];

export interface TitleFacts {
  readonly profile: string;
  readonly scan_id: string;
  readonly started_at: Date;
  /** Which document of the scan this is, from 1, and how many there are. */
  readonly number: number;
  readonly count: number;
}

/** Longest placeholder that is shown, in characters. */
const MAX_SHOWN = 40;

/** What is wrong with a title template, or undefined; a misspelled placeholder is found at load, not on paper. */
export function titlePlaceholderError(template: string): string | undefined {
  const unknown = [...template.matchAll(/\{(\w*)\}/g)]
    .map((match) => match[1] ?? '')
    .filter((name) => !PLACEHOLDERS.some((known) => known === name));
  if (unknown.length === 0) return undefined;
  const known = PLACEHOLDERS.map((name) => `{${name}}`).join(' ');
  return `has the unknown placeholder {${unknown[0]?.slice(0, MAX_SHOWN)}}: it must be one of ${known}`;
}

/**
 * The title of one document. Dates and times are local (TZ). Where a scan gives several documents and the template does
 * not number them, ` (2/10)` is appended, so that they can be told apart.
 */
export function documentTitle(template: string, facts: TitleFacts): string {
  let title = template;
  for (const [name, value] of Object.entries(placeholderValues(facts))) {
    title = title.replaceAll(`{${name}}`, value);
  }
  const numbered = facts.count === 1 || template.includes('{number}');
  if (!numbered) return numberedTitle(title, facts.number, facts.count);
  // Placeholders may lengthen it beyond what the processor takes.
  return Array.from(title).slice(0, MAX_TITLE_CHARACTERS).join('');
}

function placeholderValues(facts: TitleFacts): Record<Placeholder, string> {
  const at = facts.started_at;
  const two = (value: number): string => String(value).padStart(2, '0');
  return {
    profile: facts.profile,
    scan_id: facts.scan_id,
    date: `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`,
    time: `${two(at.getHours())}:${two(at.getMinutes())}`,
    number: String(facts.number),
    count: String(facts.count),
  };
}
