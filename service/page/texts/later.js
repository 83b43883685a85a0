import { numberOf } from '../scan/scan-view.js';
import { language } from './texts.js';

const LANGUAGES = { en: () => import('./later-english.js'), de: () => import('./later-german.js') };

/**
 * The texts of what is loaded where it is needed.
 * @type {typeof import('./later-english.js')}
 */
const { later, said } = await LANGUAGES[language]();

export { later };

/** @typedef {(sentence: import('../types.d.ts').Said, scan?: import('../types.d.ts').ScanView) => string | undefined} Say */

/**
 * A sentence of the service in the language of the page, its pages called as they are on the screen of `scan`; undefined for one that
 * is newer than the page, or of another version.
 * @type {Say}
 */
export const say = (sentence, scan) =>
  sentence
    ? said[sentence.code]?.(scan ? placed(sentence.facts, scan) : sentence.facts)
    : undefined;

/**
 * The service numbers pages as they were scanned.
 * @param {import('../types.d.ts').Facts} facts
 * @param {import('../types.d.ts').ScanView} scan
 */
function placed({ page, pages, ...facts }, scan) {
  const place = (/** @type {string | number} */ number) => numberOf(scan, Number(number)) || number;
  return {
    ...facts,
    ...(page !== undefined && { page: Number(place(page)) }),
    /* The number of pages is a number, and a list of them a text: `1, 4 (60 %)`. */
    ...(pages !== undefined && {
      pages:
        typeof pages === 'number'
          ? pages
          : pages.replace(/(^|, )(\d+)/g, (_, before, one) => before + place(one)),
    }),
  };
}
