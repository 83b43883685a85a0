import { element } from '../../element.js';
import { capital, sizeText, wordFor } from '../../views/choices.js';
import { texts } from '../../texts/texts.js';
import { ask, isGood } from '../calls.js';
import { choiceField, group } from './fields.js';
import { profileWords as words } from './texts.js';

/**
 * @typedef {import('../../button-types.d.ts').ScannerChoice} ScannerChoice
 * @typedef {import('../types.d.ts').AnswersBody} AnswersBody
 * @typedef {import('../types.d.ts').FoundScanner} FoundScanner
 * @typedef {import('./types.d.ts').ProfileForm} ProfileForm
 */

/** Offered until the scanner has answered, with the defaults of a profile first. */
const MODES = /** @type {const} */ ([
  { mode: 'Gray', kind: 'gray' },
  { mode: 'Color', kind: 'color' },
  { mode: 'Lineart', kind: 'black_and_white' },
]);
const RESOLUTIONS = [150, 200, 300, 600];
const SIZES = ['auto', 'a3', 'a4', 'a5', 'a6', 'b5', 'letter', 'legal'];
const DEFAULTS = { mode: 'Gray', resolution: 300, page_size: 'a4' };

/**
 * What to scan and how. Offers what the scanner can do as soon as it has answered.
 * @param {string} prefix of ids
 * @param {ProfileForm} profile
 * @param {AnswersBody['answers']['scanner']} known
 */
export function scanFields(prefix, profile, known) {
  const now = { ...DEFAULTS, ...profile };
  /** @type {ScannerChoice[]} */
  let choices = [];
  const source = choiceField({
    id: `${prefix}-source`,
    label: words.source,
    options: sourcesOf(profile, choices),
    value: sourceId(profile),
    onChange: offer,
  });
  const mode = choiceField({
    id: `${prefix}-mode`,
    label: words.mode,
    options: modesOf(now.mode),
    value: now.mode,
  });
  const resolution = choiceField({
    id: `${prefix}-resolution`,
    label: words.resolution,
    options: resolutionsOf(now.resolution),
    value: String(now.resolution),
  });
  const size = choiceField({
    id: `${prefix}-page_size`,
    label: words.paper,
    options: sizesOf(now.page_size),
    value: JSON.stringify(now.page_size),
  });

  const silent = element('p', { class: 'facts', hidden: true }, words.scannerSilent);

  function offer() {
    const from = choices.find((one) => sourceId(one) === source.value());
    mode.offer(modesOf(mode.value(), from?.modes));
    resolution.offer(resolutionsOf(Number(resolution.value()), from?.resolutions));
    size.offer(sizesOf(JSON.parse(size.value()), from?.page_sizes));
  }

  async function load() {
    const answer = await ask('GET', 'set-up/scanners?refresh=false');
    if (isGood(answer)) choices = choicesOf(answer.body.scanners, known);
    silent.hidden = choices.length > 0;
    source.offer(sourcesOf(profile, choices));
    offer();
  }

  void load();
  return {
    row: group(words.scan, source.row, silent, mode.row, resolution.row, size.row),
    fields: { source, sides: source, mode, resolution, page_size: size },
    value: () => ({
      ...JSON.parse(source.value()),
      mode: mode.value(),
      resolution: Number(resolution.value()),
      page_size: JSON.parse(size.value()),
    }),
  };
}

/**
 * What the chosen scanner can do, or the only one that was found.
 * @param {FoundScanner[]} scanners
 * @param {AnswersBody['answers']['scanner']} known
 */
function choicesOf(scanners, known) {
  const chosen = scanners.find(
    ({ name }) => known && (name === known.device || name.endsWith(`:${known.device}`)),
  );
  const only = scanners.length === 1 ? scanners[0] : undefined;
  return (chosen ?? only)?.choices ?? [];
}

/**
 * @param {{ source?: string | null, sides?: string | null }} from
 * @returns {string}
 */
function sourceId({ source, sides }) {
  return JSON.stringify({ ...(source && { source }), ...(sides && { sides }) });
}

/**
 * @param {ProfileForm} profile
 * @param {ScannerChoice[]} choices
 */
function sourcesOf(profile, choices) {
  const offered = choices.map((one) => [sourceId(one), texts.kinds[one.kind]]);
  const own = sourceId(profile);
  if (offered.some(([id]) => id === own)) return offered;
  const { source, sides } = profile;
  const text = source ?? (sides === 'both' ? texts.kinds.both_sides : words.scannerDecides);
  return [[own, text], ...offered];
}

/**
 * Some scanners have no choice of modes.
 * @param {string} own
 * @param {readonly { mode: string, kind: string }[]} [modes]
 */
function modesOf(own, modes = []) {
  const known = modes.length > 0 ? modes : MODES;
  const offered = known.map(({ mode, kind }) => [mode, capital(wordFor(kind))]);
  return offered.some(([mode]) => mode === own) ? offered : [[own, own], ...offered];
}

/** @param {number} own @param {number[]} [resolutions] */
function resolutionsOf(own, resolutions = RESOLUTIONS) {
  const offered = [...new Set([...resolutions, own])];
  // oxlint-disable-next-line unicorn/no-array-sort -- `toSorted` is too new
  return offered.sort((a, b) => a - b).map((dpi) => [String(dpi), `${dpi} dpi`]);
}

/**
 * @param {import('../../button-types.d.ts').ScanSettings['page_size']} own
 * @param {string[]} [sizes]
 */
function sizesOf(own, sizes = SIZES) {
  const isNamed = typeof own === 'string' && sizes.includes(own);
  return [...(isNamed ? [] : [own]), ...sizes].map((one) => [
    JSON.stringify(one),
    capital(sizeText(one)),
  ]);
}
