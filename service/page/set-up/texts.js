import { language } from '../texts/texts.js';
import { capital, languageText } from '../views/choices.js';

const LANGUAGES = {
  en: () => import('../texts/set-up-english.js'),
  de: () => import('../texts/set-up-german.js'),
};

/** @type {typeof import('../texts/set-up-english.js')} */
const { words } = await LANGUAGES[language]();

export { words };

/**
 * What a scanner can do, such as `Feeder, glass`.
 * @param {import('../button-types.d.ts').ScannerChoice['kind'][]} kinds
 */
export function kindsText(kinds) {
  return capital([...new Set(kinds)].map((kind) => words.kinds[kind]).join(', '));
}

/**
 * Names of languages by their Tesseract codes, such as `deu`.
 * @param {string[]} codes
 */
export function languageNames(codes) {
  return codes.map(languageText).join(', ');
}
