import { language, LANGUAGES } from './texts.js';

/**
 * The texts of what is loaded where it is needed.
 * @type {typeof import('./later-english.js')}
 */
const { later, said } = await import(`./later-${LANGUAGES[language]}.js`);

export { later };

/** @typedef {(sentence: import('../types.d.ts').Said) => string | undefined} Say */

/**
 * A sentence of the service in the language of the page; undefined for one that is newer than the page, or of another version.
 * @type {Say}
 */
export const say = (sentence) => (sentence ? said[sentence.code]?.(sentence.facts) : undefined);
