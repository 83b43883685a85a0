import { ENGLISH } from './english.ts';
import { GERMAN } from './german.ts';

export type TextKey = keyof typeof ENGLISH;

export type Language = 'en' | 'de';

/** A text, by its key, and the facts in it. */
export interface Message {
  readonly key: TextKey;
  readonly facts: Readonly<Record<string, string>>;
}

const TEXTS: Readonly<Record<Language, Readonly<Record<TextKey, string>>>> = {
  en: ENGLISH,
  de: GERMAN,
};

export function messageFor(key: TextKey, facts: Message['facts'] = {}): Message {
  return { key, facts };
}

/** Replaces `{name}` by the fact. Braces in a fact stay. */
export function textOf({ key, facts }: Message, language: Language = 'en'): string {
  return TEXTS[language][key].replaceAll(/\{([a-z_]+)\}/gu, (whole, name: string) => {
    return Object.hasOwn(facts, name) ? String(facts[name]) : whole;
  });
}
