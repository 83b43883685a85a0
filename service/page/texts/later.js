import { numberOf } from '../scan/scan-view.js';
import { language } from './texts.js';

const LANGUAGES = { en: () => import('./later-english.js'), de: () => import('./later-german.js') };

/**
 * Texts of modules that are loaded on demand.
 * @type {typeof import('./later-english.js')}
 */
const { later, said } = await LANGUAGES[language]();

export { later };

/** @typedef {(sentence: import('../types.d.ts').Said, scan?: import('../types.d.ts').ScanView) => string | undefined} Say */

/**
 * Translates a message of the service, with the page numbers shown on the screen of `scan`.
 * Undefined for codes that this version of the page does not know.
 * @type {Say}
 */
export const say = (sentence, scan) =>
  sentence
    ? said[sentence.code]?.(scan ? placed(sentence.facts, scan) : sentence.facts)
    : undefined;

/**
 * Replaces the service's page numbers, which count pages as scanned.
 * @param {import('../types.d.ts').Facts} facts
 * @param {import('../types.d.ts').ScanView} scan
 */
function placed({ page, pages, ...facts }, scan) {
  const place = (/** @type {string | number} */ number) => numberOf(scan, Number(number)) || number;
  return {
    ...facts,
    ...(page !== undefined && { page: Number(place(page)) }),
    /* `pages` is a count, or a text that lists page numbers: `1, 4 (60 %)`. */
    ...(pages !== undefined && {
      pages:
        typeof pages === 'number'
          ? pages
          : pages.replace(/(^|, )(\d+)/g, (_, before, one) => before + place(one)),
    }),
  };
}
