import { element, fill } from '../../element.js';
import { language, locale } from '../../texts/texts.js';
import { languageText } from '../../views/choices.js';
import { ask, isGood, problemText } from '../calls.js';
import { alertLine, notice, segments, selectField, withCommands } from '../fields.js';
import { placeName, words } from '../texts.js';

/** @typedef {import('../types.d.ts').AnswersBody} AnswersBody */

/**
 * @param {AnswersBody} body
 * @returns {import('../screen.js').StepView}
 */
export function languagesView(body) {
  const problem = alertLine();
  const said = element('div', { role: 'status' });
  /** The choice for which a notice about missing languages was shown. */
  let explained = '';
  const choice = createChoice(body, () => {
    problem.textContent = '';
    said.replaceChildren();
    explained = '';
  });
  const zone = zoneChoice(body);
  const { text: toInstall } = body.languages;
  if (toInstall) explainMissing(toInstall);

  /** @param {Record<'en' | 'de', string>} text @param {...HTMLElement} before */
  function explainMissing(text, ...before) {
    said.replaceChildren(
      notice('wait', ...before, element('p', {}, ...withCommands(text[language]))),
    );
  }

  /** @param {string} text */
  function fail(text) {
    problem.textContent = text;
    return false;
  }

  async function submit() {
    const languages = choice.value();
    if (languages.length === 0) return fail(words.languageMissing);
    const answer = await ask('PUT', 'set-up/languages', { languages, ...zone.value() });
    if (!isGood(answer)) return fail(problemText(answer));
    const { missing, text } = answer.body;
    if (missing.length === 0 || explained === String(languages)) return true;
    explained = String(languages);
    explainMissing(text, element('strong', {}, words.languagesSaved));
    /* The button for going on is below the notice. */
    said.closest('form')?.lastElementChild?.scrollIntoView({ block: 'end' });
    return false;
  }

  return {
    title: words.steps.languages,
    lead: words.languagesLead,
    content: [choice.row, problem, zone.row, said],
    submit,
  };
}

/**
 * @param {AnswersBody} body
 * @param {() => void} onChange
 */
function createChoice(body, onChange) {
  const chosen = new Set(proposedLanguages(body));
  const row = element('div');
  const { installed, offered } = body.languages;

  function show() {
    const isListed = (/** @type {string} */ code) =>
      chosen.has(code) || installed?.includes(code) === true;
    const listed = byName(offered.filter(({ code }) => isListed(code)));
    const others = offered.filter(({ code }) => !isListed(code));
    fill(row, listed, () => [
      segments({
        legend: words.languages,
        name: 'language',
        type: 'checkbox',
        options: listed.map((one) => ({
          id: one.code,
          text: nameOf(one),
          isChosen: chosen.has(one.code),
        })),
        onChange: (code, isChosen) => {
          onChange();
          if (isChosen) chosen.add(code);
          else chosen.delete(code);
        },
      }),
      others.length > 0 && otherChoice(others, installed !== null, add),
    ]);
  }

  /** @param {{ code: string, locale: string }} offered */
  function nameOf({ code, locale: spoken }) {
    const name = languageText(spoken);
    return installed?.includes(code) === false ? words.notInstalled(name) : name;
  }

  /** @param {string} code */
  function add(code) {
    onChange();
    chosen.add(code);
    show();
    row.querySelector('select')?.focus();
  }

  show();
  return { row, value: () => [...chosen] };
}

/**
 * A list of languages that are neither installed nor chosen.
 * @param {AnswersBody['languages']['offered']} others
 * @param {boolean} isKnown whether the service knows which languages are installed
 * @param {(code: string) => void} add
 */
function otherChoice(others, isKnown, add) {
  const names = new Map(others.map((one) => [languageText(one.locale), one.code]));
  const { row } = selectField({
    id: 'other-language',
    label: words.otherLanguage,
    ...(isKnown && { hint: words.otherLanguageHint }),
    options: [
      ['', words.choose],
      ...inOrder([...names.keys()]).map((name) => [names.get(name) ?? '', name]),
    ],
    value: '',
    onChange: (code) => code !== '' && add(code),
  });
  return row;
}

/** Proposed if the processor does not list its languages: it may be starting. Always installed. */
const FALLBACK = ['eng'];

/**
 * The chosen languages, or else the installed languages that the browser prefers, or all installed
 * languages.
 * @param {AnswersBody} body
 */
function proposedLanguages({ answers, languages: { installed, offered } }) {
  if (answers.languages) return answers.languages;
  const there = offered.filter(({ code }) => installed?.includes(code) !== false);
  const spoken = navigator.languages.map((tag) => tag.slice(0, 2));
  const own = there.filter((one) => spoken.includes(one.locale.slice(0, 2)));
  if (own.length === 0 && installed === null) return FALLBACK;
  return (own.length > 0 ? own : there).map(({ code }) => code);
}

/**
 * A list of time zones. Proposes the browser's time zone until the step is done.
 * @param {AnswersBody} body
 */
function zoneChoice({ answers, fixed, to_do: toDo }) {
  const proposed = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  const known = answers.time_zone ?? proposed;
  if (fixed.time_zone !== null) {
    const text = element('p', {}, `${words.timeZone}: ${known}`);
    const row = element('div', {}, text, notice('wait', words.fixedBy(fixed.time_zone)));
    return { row, value: () => ({}) };
  }
  const value = toDo.includes('languages') ? proposed : known;
  const zones = new Set([value, proposed, ...Intl.supportedValuesOf('timeZone')]);
  const { row, select } = selectField({
    id: 'time-zone',
    label: words.timeZone,
    hint: words.timeZoneHint,
    options: zoneOptions([...zones]),
    value,
  });
  return { row, value: () => ({ time_zone: select.value }) };
}

/** @param {string[]} zones */
function zoneOptions(zones) {
  const texts = new Map(zones.map((zone) => [zoneText(zone), zone]));
  return inOrder([...texts.keys()]).map((text) => [texts.get(text) ?? '', text]);
}

/**
 * A time zone and its name: `Europe/Berlin (Central European Time)`. Browsers do not translate
 * cities.
 * @param {string} zone
 */
function zoneText(zone) {
  const place = placeName(zone);
  const name = zoneName(zone);
  return name === '' || name === zone ? place : `${place} (${name})`;
}

/** @param {string} timeZone */
function zoneName(timeZone) {
  try {
    const format = new Intl.DateTimeFormat(locale, { timeZone, timeZoneName: 'longGeneric' });
    return format.formatToParts().find(({ type }) => type === 'timeZoneName')?.value ?? '';
  } catch {
    /* Browsers of 2021 know no such names. */
    return '';
  }
}

/** @param {AnswersBody['languages']['offered']} languages */
function byName(languages) {
  const names = new Map(languages.map((one) => [languageText(one.locale), one]));
  return inOrder([...names.keys()]).flatMap((name) => names.get(name) ?? []);
}

/** @param {string[]} names */
function inOrder(names) {
  // oxlint-disable-next-line unicorn/no-array-sort -- `toSorted` is too new
  return names.sort((one, other) => one.localeCompare(other, locale));
}
