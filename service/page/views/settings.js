import { get } from '../api.js';
import { element } from '../element.js';
import { later } from '../texts/later.js';
import { texts } from '../texts/texts.js';
import { capital, languageText, sizeText, wordFor } from './choices.js';

/**
 * @typedef {import('../types.d.ts').ProfileSummary} ProfileSummary
 * @typedef {import('../types.d.ts').ScannerChoice} ScannerChoice
 * @typedef {import('../types.d.ts').ScanSettings} ScanSettings
 * @typedef {import('./choices.js').Choice} Choice
 * @typedef {{ id: string, text: string, isChosen: boolean, choose: () => void }} Option
 */

/**
 * What the scanner of a profile supports. Empty if unknown.
 * @param {string} profile
 * @returns {Promise<ScannerChoice[]>}
 */
export async function askForChoices(profile) {
  const { status, body } = await get('scanners');
  if (status !== 200) return [];
  /** @type {{ profiles?: string[], choices?: ScannerChoice[] }[]} */
  const scanners = body.scanners ?? [];
  const choices = scanners.find(({ profiles = [] }) => profiles.includes(profile))?.choices ?? [];
  return KINDS.flatMap((kind) => choices.filter((one) => one.kind === kind));
}

/** In display order. */
const KINDS = ['feeder', 'both_sides', 'glass'];

/** The page groupings offered here; others need an explanation. */
const GROUPINGS = ['combined', 'per_page', 'separator'];

/**
 * Rows of choices for the settings that the chosen source supports.
 * @param {ProfileSummary} profile
 * @param {{ choices: ScannerChoice[] | undefined, languages: string[], choice: Choice }} now `choices` is undefined until loaded
 * @param {(choice: Choice) => void} onChoice
 */
export function settingsFields(profile, { choices: known, languages, choice }, onChoice) {
  const own = profile.settings;
  if (!own) return [];
  const choices = known ?? [];
  const option = optionOf(own, choice, (name, value, kind) =>
    onChoice(changed(own, choice, { name, value, kind })),
  );
  const is = withChoice(own, choice);
  const from = choices.find((one) => isFrom(one, is)) ?? choices[0];
  /** @param {ScannerChoice} one */
  const place = (one) => ({
    id: `source-${one.kind}`,
    text: texts.kinds[one.kind],
    isChosen: one === from,
    choose: () => onChoice(movedTo(own, choice, one)),
  });
  return [
    !from &&
      element(
        'p',
        { class: 'facts', role: 'status' },
        known ? later.noChoices : later.askingScanner,
      ),
    ...(from ? scannerRows(from, choices.map(place), option) : []),
    row(
      later.grouping,
      [...new Set([own.page_grouping, ...GROUPINGS])].map((grouping) =>
        option('page_grouping', grouping, wordFor(grouping)),
      ),
    ),
    languagesRow(languages, is.languages, (codes) =>
      onChoice(changed(own, choice, { name: 'languages', value: codes })),
    ),
  ];
}

/**
 * A chosen source replaces the sides, too.
 * @param {ScanSettings} own
 * @param {Choice} choice
 * @returns {ScanSettings}
 */
function withChoice(own, { settings }) {
  return { ...own, ...(settings.source !== undefined && { sides: null }), ...settings };
}

/**
 * @param {ScannerChoice} from
 * @param {Option[]} places
 * @param {(name: keyof ScanSettings, value: unknown, text: string, kind?: string) => Option} option
 */
function scannerRows(from, places, option) {
  return [
    row(
      later.colors,
      from.modes.map(({ mode, kind }) => option('mode', mode, wordFor(kind), kind)),
    ),
    row(later.sides, places),
    row(
      later.quality,
      from.resolutions.map((dpi) => option('resolution', dpi, qualityText(dpi))),
    ),
    row(
      later.paperSize,
      from.page_sizes.map((size) => option('page_size', size, sizeText(size))),
    ),
  ];
}

/**
 * @param {ScanSettings} own settings of the button
 * @param {Choice} choice
 * @param {(name: keyof ScanSettings, value: unknown, kind?: string) => void} change
 * @returns {(name: keyof ScanSettings, value: unknown, text: string, kind?: string) => Option}
 */
function optionOf(own, choice, change) {
  const is = withChoice(own, choice);
  return (name, value, text, kind) => ({
    id: `${name}-${String(value)}`,
    text: capital(text),
    isChosen: isSame(is[name], value),
    choose: () => change(name, value, kind),
  });
}

/**
 * Changes one setting. Removes choices that equal the button's own setting.
 * @param {ScanSettings} own
 * @param {Choice} choice
 * @param {{ name: keyof ScanSettings, value: unknown, kind?: string | undefined }} change
 * @returns {Choice}
 */
function changed(own, choice, { name, value, kind }) {
  const kinds = { ...choice.kinds, ...(kind !== undefined && { [name]: kind }) };
  /** @type {Partial<ScanSettings>} */
  const settings = { ...choice.settings, [name]: value };
  if (isSame(own[name], value)) delete settings[name];
  return { settings, kinds };
}

/**
 * True if these settings use this source and these sides.
 * @param {ScannerChoice} from
 * @param {ScanSettings} settings
 */
function isFrom(from, { source, sides = null }) {
  return from.source === source && (from.sides === null || from.sides === sides);
}

/**
 * Changes the source, and removes settings that the new source does not support.
 * @param {ScanSettings} own
 * @param {Choice} choice
 * @param {ScannerChoice} from
 * @returns {Choice}
 */
function movedTo(own, { settings, kinds }, from) {
  const { source: _source, sides: _sides, mode, resolution, page_size: size, ...others } = settings;
  const place = {
    ...(from.source !== null && { source: from.source }),
    ...(from.sides !== null && { sides: from.sides }),
  };
  return {
    settings: {
      ...others,
      ...(!isFrom(from, own) && place),
      ...(from.modes.some((one) => one.mode === mode) && { mode }),
      ...(from.resolutions.some((one) => one === resolution) && { resolution }),
      ...(from.page_sizes.some((one) => one === size) && { page_size: size }),
    },
    kinds: { ...kinds, source: from.kind },
  };
}

/** @param {number} dpi */
function qualityText(dpi) {
  const word = /** @type {Record<number, string>} */ (later.qualities)[dpi];
  return word === undefined ? `${dpi} dpi` : `${word} (${dpi})`;
}

/**
 * Returns null if there is only one option.
 * @param {string} legend
 * @param {Option[]} options
 */
function row(legend, options) {
  if (options.length < 2) return null;
  return element(
    'fieldset',
    {},
    element('legend', {}, legend),
    element(
      'div',
      { class: 'segments' },
      ...options.map(({ id, text, isChosen, choose }) => {
        const name = id.split('-')[0];
        return segment({ type: 'radio', id, name, checked: isChosen, change: choose }, text);
      }),
    ),
  );
}

/**
 * @param {string[]} known
 * @param {string[]} chosen
 * @param {(codes: string[]) => void} onChosen
 */
function languagesRow(known, chosen, onChosen) {
  if (known.length < 2) return null;
  const one = (/** @type {string} */ code) => {
    const isChosen = chosen.includes(code);
    const change = () =>
      onChosen(isChosen ? chosen.filter((other) => other !== code) : [...chosen, code]);
    /* The last chosen language cannot be removed. */
    const isOnly = isChosen && chosen.length === 1;
    const state = { checked: isChosen, disabled: isOnly, change };
    return segment({ type: 'checkbox', id: `language-${code}`, ...state }, languageText(code));
  };
  return element(
    'fieldset',
    {},
    element('legend', {}, later.languages),
    element('div', { class: 'segments' }, ...known.map(one)),
  );
}

/**
 * @param {import('../element.js').Properties} properties
 * @param {string} text
 */
function segment(properties, text) {
  return element('label', {}, element('input', properties), element('span', {}, text));
}

/**
 * @param {unknown} one
 * @param {unknown} other
 */
function isSame(one, other) {
  return JSON.stringify(one) === JSON.stringify(other);
}
