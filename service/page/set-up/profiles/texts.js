import { language } from '../../texts/texts.js';
import { labelOf } from '../../views/start.js';

const LANGUAGES = {
  en: () => import('../../texts/profiles-english.js'),
  de: () => import('../../texts/profiles-german.js'),
};

/** @type {typeof import('../../texts/profiles-english.js')} */
const { profileWords } = await LANGUAGES[language]();

export { profileWords };

/**
 * The name of a profile in the language of the page.
 * @param {string | Record<string, string> | null} label
 * @param {string} name
 */
export function labelText(label, name) {
  return labelOf({ name, label });
}
