/** Tesseract's codes that name no language (null), or end in a Chinese script. */
const TAGS: Readonly<Record<string, string | null>> = {
  osd: null,
  equ: null,
  chi_sim: 'zh-Hans',
  chi_tra: 'zh-Hant',
};

/** `de` for `deu`. Null if the code names no language. */
export function languageTag(code: string | undefined): string | null {
  if (code === undefined || code.startsWith('script/')) return null;
  const plain = code.replace(/_vert$/u, '');
  const known = TAGS[plain];
  if (known !== undefined) return known;
  // A typeface or script: deu_frak, ita_old, aze_cyrl.
  const [language = ''] = plain.split('_');
  return /^[a-z]{3}$/u.test(language) ? (Intl.getCanonicalLocales(language)[0] ?? null) : null;
}
