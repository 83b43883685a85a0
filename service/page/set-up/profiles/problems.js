import { language } from '../../texts/texts.js';
import { capital } from '../../views/choices.js';
import { profileWords as words } from './texts.js';

/**
 * A mistake that the service found, with the key of a profile file.
 * @typedef {{ field: string, expected: string }} Mistake
 */

/**
 * Shows the first mistake at its field. False if none of them has a field.
 * @param {{ fields?: Mistake[], text?: Record<'en' | 'de', string> }} refused
 * @param {Record<string, { fail: (text: string) => unknown }>} fields
 */
export function showAtField({ fields: mistakes = [], text }, fields) {
  for (const mistake of mistakes) {
    const key = Object.keys(fields).find((one) => isIn(mistake.field, one));
    if (key === undefined) continue;
    fields[key]?.fail(text?.[language] ?? ruleText(mistake));
    return true;
  }
  return false;
}

/** @param {Mistake} mistake */
function ruleText({ field, expected }) {
  const own = Object.entries(words.rules).find(([key]) => isIn(field, key));
  if (own) return own[1];
  /* The label of the field is shown already. */
  const text = capital(expected.replace(/^"[^"]*" /, ''));
  return text.endsWith('.') ? text : `${text}.`;
}

/** True for the field itself and what it contains. @param {string} field @param {string} key */
function isIn(field, key) {
  return field === key || field.startsWith(`${key}.`) || field.startsWith(`${key}[`);
}
