import { messageFor, type Message } from './texts/texts.ts';

const TESSERACT: ReadonlyMap<string, string> = new Map([
  ['bg', 'bul'],
  ['ca', 'cat'],
  ['cs', 'ces'],
  ['da', 'dan'],
  ['de', 'deu'],
  ['el', 'ell'],
  ['en', 'eng'],
  ['es', 'spa'],
  ['et', 'est'],
  ['fi', 'fin'],
  ['fr', 'fra'],
  ['hr', 'hrv'],
  ['hu', 'hun'],
  ['it', 'ita'],
  ['ja', 'jpn'],
  ['ko', 'kor'],
  ['lt', 'lit'],
  ['lv', 'lav'],
  ['nb', 'nor'],
  ['nl', 'nld'],
  ['nn', 'nor'],
  ['no', 'nor'],
  ['pl', 'pol'],
  ['pt', 'por'],
  ['ro', 'ron'],
  ['ru', 'rus'],
  ['sk', 'slk'],
  ['sl', 'slv'],
  ['sr', 'srp'],
  ['sv', 'swe'],
  ['tr', 'tur'],
  ['uk', 'ukr'],
]);

/** The languages to offer: Tesseract's code, and a locale that names it. */
export const OFFERED_LANGUAGES: readonly { readonly code: string; readonly locale: string }[] = [
  ...TESSERACT,
]
  .filter(([, code], index, all) => all.findIndex(([, other]) => other === code) === index)
  .map(([locale, code]) => ({ code, locale }));

/** The name of a language, given its Tesseract code, such as `deu`. The code if it has no name. */
export function languageName(code: string, inLanguage: string): string {
  const locale = OFFERED_LANGUAGES.find((one) => one.code === code)?.locale;
  if (locale === undefined) return code;
  return new Intl.DisplayNames([inLanguage], { type: 'language' }).of(locale) ?? code;
}

/** The chosen languages that are not installed; none while that is unknown. */
export function missingLanguages(
  chosen: readonly string[],
  installed: readonly string[] | undefined,
): readonly string[] {
  return installed ? chosen.filter((code) => !installed.includes(code)) : [];
}

/** Tesseract codes of names in lower case, in English and in the language itself. */
const NAMES: ReadonlyMap<string, string> = new Map(
  [...TESSERACT].flatMap(([code, tesseract]) =>
    ['en', code].map((inLanguage) => {
      const name = new Intl.DisplayNames([inLanguage], { type: 'language' }).of(code) ?? code;
      return [name.toLowerCase(), tesseract] as const;
    }),
  ),
);

const CODE = /^[A-Za-z0-9_]{2,40}$/u;

export type ReadLanguages =
  | { readonly kind: 'codes'; readonly codes: readonly string[] }
  | { readonly kind: 'wrong'; readonly message: Message };

/** Reads codes and names between spaces, commas or plus signs. */
export function readLanguages(text: string): ReadLanguages {
  const words = text.split(/[\s,+]+/u).filter((word) => word !== '');
  return codesOf(words.length > 0 ? words : [text]);
}

/** Reads one language per item. Its name may have spaces: Norwegian Bokmål. */
export function codesOf(given: readonly string[]): ReadLanguages {
  const codes = given.map((one) => {
    const key = one.trim().toLowerCase();
    return TESSERACT.get(key) ?? NAMES.get(key) ?? one.trim();
  });
  const wrong = codes.find((code) => !CODE.test(code));
  if (wrong === undefined) return { kind: 'codes', codes: [...new Set(codes)] };
  return { kind: 'wrong', message: messageFor('languages.unknown', { given: wrong }) };
}

/** Returns the Tesseract codes for a locale such as `de_DE.UTF-8`: its language, and English. */
export function languagesOfLocale(...locales: readonly (string | undefined)[]): readonly string[] {
  const [code] = locales
    .map((locale) => TESSERACT.get(locale?.split('_')[0] ?? ''))
    .filter((one) => one !== undefined);
  return [...new Set([code ?? 'eng', 'eng'])];
}
