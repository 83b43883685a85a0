import { language } from '../texts/texts.js';
import { capital, languageText } from '../views/choices.js';

/** @typedef {import('../button-types.d.ts').ScannerChoice['kind']} Kind */

const LANGUAGES = {
  en: () => import('../texts/set-up-english.js'),
  de: () => import('../texts/set-up-german.js'),
};

/** @type {typeof import('../texts/set-up-english.js')} */
const { words } = await LANGUAGES[language]();

export { words };

/** @type {Kind[]} */
const ORDER = ['feeder', 'both_sides', 'glass'];

/**
 * What a scanner can do, such as `Feeder, glass`.
 * @param {Kind[]} kinds
 */
export function kindsText(kinds) {
  const known = ORDER.filter((kind) => kinds.includes(kind));
  return capital(known.map((kind) => words.kinds[kind]).join(', '));
}

/**
 * Names of languages by their Tesseract codes, such as `deu`.
 * @param {string[]} codes
 */
export function languageNames(codes) {
  return codes.map(languageText).join(', ');
}

/**
 * The place of a time zone: `America/New York`.
 * @param {string} zone
 */
export function placeName(zone) {
  const [region = '', ...places] = zone.replaceAll('_', ' ').split('/');
  return [words.regions[region] ?? region, ...places].join('/');
}

/**
 * Removes the protocol from a scanner's name: SANE puts it where the maker should be.
 * @param {string} name
 */
export function plainName(name) {
  const address = /^airscan:\w+:Scanner:https?:\/\/([^/]+)/.exec(name)?.[1];
  return address ?? name.replace(/^(?:eSCL|WSD) /, '');
}
