/** Modules with the texts of the page, by language tag. */
const LANGUAGES = { en: () => import('./english.js'), de: () => import('./german.js') };

/**
 * The browser's first supported language, or English.
 * @type {keyof typeof LANGUAGES}
 */
export const language = navigator.languages.map((tag) => tag.slice(0, 2)).find(isKnown) ?? 'en';

/**
 * @param {string} tag
 * @returns {tag is keyof typeof LANGUAGES}
 */
function isKnown(tag) {
  return Object.hasOwn(LANGUAGES, tag);
}

/** @type {typeof import('./english.js')} */
const { texts, errors } = await LANGUAGES[language]();

export { texts };

/**
 * The title and advice of an error code. Undefined for unknown codes.
 * @param {string} code
 */
export function explain(code) {
  return Object.hasOwn(errors, code) ? errors[code] : undefined;
}

export const locale = navigator.languages.find((tag) => tag.startsWith(language)) ?? language;
const times = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });

/** @param {string} iso */
export function timeText(iso) {
  return times.format(new Date(iso));
}

/**
 * Page numbers as ranges: `1–3, 5`.
 * @param {readonly number[]} pages
 */
export function rangeText(pages) {
  /** @type {[number, number][]} */
  const ranges = [];
  for (const page of pages) {
    const last = ranges[ranges.length - 1];
    if (last && last[1] === page - 1) last[1] = page;
    else ranges.push([page, page]);
  }
  return ranges.map(([from, to]) => (from === to ? from : `${from}–${to}`)).join(', ');
}
