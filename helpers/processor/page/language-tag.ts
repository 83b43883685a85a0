/** Tesseract's codes that are no language, and those whose variant is a script. */
const TAGS: Readonly<Record<string, string | null>> = {
  osd: null,
  equ: null,
  chi_sim: 'zh-Hans',
  chi_tra: 'zh-Hant',
};

/** What a code of Tesseract's is called in PDF: `de` for `deu` (BCP 47). Null where it names no language. */
export function languageTag(code: string | undefined): string | null {
  if (code === undefined || code.startsWith('script/')) return null;
  const plain = code.replace(/_vert$/u, '');
  const known = TAGS[plain];
  if (known !== undefined) return known;
  // What follows the language is a way of printing: deu_frak, ita_old, aze_cyrl.
  const [language = ''] = plain.split('_');
  return /^[a-z]{3}$/u.test(language) ? (Intl.getCanonicalLocales(language)[0] ?? null) : null;
}
