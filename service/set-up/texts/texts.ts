import { ENGLISH } from './english.ts';
import { GERMAN } from './german.ts';

export type TextKey = keyof typeof ENGLISH;

export type Language = 'en' | 'de';

/** The key of a text, and its facts. */
export interface Said {
  readonly key: TextKey;
  readonly facts: Readonly<Record<string, string>>;
}

const TEXTS: Readonly<Record<Language, Readonly<Record<TextKey, string>>>> = {
  en: ENGLISH,
  de: GERMAN,
};

export function saying(key: TextKey, facts: Said['facts'] = {}): Said {
  return { key, facts };
}

/** A fact may itself contain braces. */
export function textOf({ key, facts }: Said, language: Language = 'en'): string {
  return TEXTS[language][key].replaceAll(/\{([a-z_]+)\}/gu, (whole, name: string) => {
    return Object.hasOwn(facts, name) ? String(facts[name]) : whole;
  });
}
