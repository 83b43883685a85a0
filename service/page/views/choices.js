import { keep, kept } from '../kept.js';
import { language, locale, texts } from '../texts/texts.js';

/**
 * @typedef {import('../types.d.ts').ProfileSummary} ProfileSummary
 * @typedef {import('../types.d.ts').ScanSettings} ScanSettings
 */

/**
 * The choices for a button on this device: settings that differ from the button, and the kinds of
 * the chosen source and mode.
 * @typedef {{ settings: Partial<ScanSettings>, kinds: { source?: string, mode?: string } }} Choice
 */

/** Keys in the browser's storage. */
const CHOICES = 'scan-choices';
const WAITS = 'wait-before-filing';

/** True if scans started on this device wait before they are filed. */
export const waits = () => kept(WAITS) === true;

/** @param {boolean} isOn */
export const keepWaits = (isOn) => keep(WAITS, isOn);

/** @returns {Record<string, Choice>} */
const all = () => Object(kept(CHOICES));

/**
 * @param {string} name of a button
 * @returns {Choice}
 */
export function choiceOf(name) {
  const now = all();
  const { settings, kinds } = Object(Object.hasOwn(now, name) ? now[name] : {});
  return { settings: Object(settings), kinds: Object(kinds) };
}

/**
 * @param {string} name
 * @param {Choice} choice without settings, the stored choice is removed
 */
export function keepChoice(name, choice) {
  const now = all();
  if (Object.keys(choice.settings).length > 0) now[name] = choice;
  else delete now[name];
  keep(CHOICES, now);
}

/**
 * The differences from the button: `Color, both sides`.
 * @param {Choice} choice
 */
export function choiceText(choice) {
  return capital(choiceWords(choice));
}

/**
 * Like `choiceText`, for use within a sentence: the first word is not capitalized.
 * @param {Choice} choice
 */
export function choiceWords({ settings, kinds }) {
  const { source, sides, mode, resolution, page_size, page_grouping, languages } = settings;
  const words = [
    mode !== undefined && wordFor(kinds.mode ?? mode),
    (source ?? sides) !== undefined && wordFor(kinds.source ?? source ?? sides ?? ''),
    resolution !== undefined && `${resolution} dpi`,
    page_size !== undefined && sizeText(page_size),
    page_grouping !== undefined && wordFor(page_grouping),
    languages?.map(languageText).join(' + '),
  ];
  return words.filter(Boolean).join(', ');
}

/** @param {string} kind */
export function wordFor(kind) {
  return Object.hasOwn(texts.words, kind) ? String(texts.words[kind]) : kind;
}

/** @param {ScanSettings['page_size']} size */
export function sizeText(size) {
  if (typeof size !== 'string') return `${size.width_mm} × ${size.height_mm} mm`;
  return size.length === 2 ? size.toUpperCase() : wordFor(size);
}

/** @param {string} text */
export function capital(text) {
  return text.slice(0, 1).toLocaleUpperCase(locale) + text.slice(1);
}

/**
 * The name of a language, given its Tesseract code, such as `deu`.
 * @param {string} code
 */
export function languageText(code) {
  try {
    return new Intl.DisplayNames(language, { type: 'language' }).of(code.replace('_', '-')) ?? code;
  } catch {
    return code;
  }
}
