import type { CheckResult, KeyedResult } from '../../self-test/check.ts';
import { languageName } from '../languages.ts';
import { GERMAN_CHECKS, GERMAN_SUBJECTS } from '../texts/checks-german.ts';
import { GERMAN } from '../texts/german.ts';
import type { BothTexts } from './refusals.ts';

/** A result of the self-test for people, in both languages. */
export interface TranslatedCheck extends CheckResult {
  readonly title: BothTexts;
  /** The message and the remedy. */
  readonly text: BothTexts;
}

export function translated({ key, facts, ...check }: KeyedResult): TranslatedCheck {
  const { subject, message, remedy } = check;
  const english = [message, remedy].filter((part) => part !== null).join(' ');
  return {
    ...check,
    title: { en: subject, de: GERMAN_SUBJECTS[subject] ?? subject },
    text: { en: english, de: germanText({ key, facts, ...check }) ?? english },
  };
}

/** Undefined if the result has no German text. */
export function germanText({ key, facts: own, ...check }: KeyedResult): string | undefined {
  const { id, status, subject, message, found, expected } = check;
  const facts: Readonly<Record<string, string | null>> = {
    subject,
    address: subject,
    message,
    found,
    expected,
    count: numberIn(found),
    limit: numberIn(expected),
    names: languagesIn(found),
    ...own,
  };
  const text = GERMAN_CHECKS[key ?? `${id}.${status}`] ?? linkText(id);
  return text?.replaceAll(/\{([a-z]+)\}/gu, (whole, name: string) => facts[name] ?? whole);
}

/** A broken link to Paperless-ngx, in the words of the step that connects it. */
function linkText(id: string): string | undefined {
  const [, link] = /^dms\.(\w+)$/u.exec(id) ?? [];
  return new Map(Object.entries(GERMAN)).get(`paperless.${link}`);
}

/** The German names of languages, if `text` lists their codes. */
function languagesIn(text: string | null): string | null {
  return (
    text
      ?.split(', ')
      .map((code) => languageName(code, 'de'))
      .join(', ') ?? null
  );
}

function numberIn(text: string | null): string | null {
  return /\d+/u.exec(text ?? '')?.[0] ?? null;
}
