import { element, icon } from '../element.js';
import { texts } from '../texts/texts.js';
import { createChecks } from './checks.js';
import { notice } from './fields.js';
import { STEPS } from './steps.js';
import { kindsText, languageNames, placeName, plainName, words } from './texts.js';

/**
 * @typedef {import('./types.d.ts').AnswersBody} AnswersBody
 * @typedef {import('./types.d.ts').StepId} StepId
 */

/**
 * The last screen of the set-up: what is ready, and what is left to do.
 * @param {AnswersBody['to_do']} toDo
 * @returns {import('./screen.js').Screen}
 */
export function doneScreen(toDo) {
  const left = STEPS.filter(({ id }) => toDo.some((one) => one === id));
  return {
    title: left.length === 0 ? words.doneTitle : words.doneTitlePartly,
    lead: left.length === 0 ? words.doneLead : words.doneLeadPartly,
    content: left.map((step) => card(step, words.toDo, 'wait')),
    next: words.start,
    submit: async () => true,
    onNext: () => void (location.hash = ''),
  };
}

/**
 * The settings: each step with its state.
 * @param {AnswersBody} body
 * @param {string} said the message about what was just saved, or an empty text
 * @param {() => void} onLogOut
 * @returns {import('./screen.js').Screen}
 */
export function overview(body, said, onLogOut) {
  const logOut = { type: 'button', class: 'text', click: onLogOut };
  const checks = createChecks();
  const profiles = card(PROFILES, words.profilesShort, '', checks.lineOf(PROFILES.id));
  return {
    title: words.settings,
    content: [
      said !== '' && element('div', { role: 'status' }, notice('good', said)),
      ...STEPS.flatMap((step) => {
        const isOpen = body.to_do.some((one) => one === step.id);
        const state = isOpen ? words.toDo : stateOf(step.id, body);
        const shown = card(step, state, isOpen ? 'wait' : '', checks.lineOf(step.id));
        return step.id === 'buttons' ? [shown, profiles] : [shown];
      }),
      ...checks.parts,
      element('a', { class: 'text', href: '#set-up=password' }, words.changeTitle),
      element('button', logOut, words.logOut),
    ],
    onBack: () => void (location.hash = ''),
    backText: texts.allScans,
    isBackFirst: true,
  };
}

/** The card of the profiles, which are no step of the set-up. */
const PROFILES = /** @type {const} */ ({ id: 'profiles', icon: 'letter' });

/**
 * @param {{ id: keyof typeof words.steps, icon?: string, lines?: string }} step
 * @param {string} state
 * @param {'wait' | ''} tone
 * @param {HTMLElement | null} [check] the last check
 */
function card({ id, icon: name = '', lines }, state, tone, check) {
  const mark = icon(name);
  if (lines !== undefined) mark.firstElementChild?.setAttribute('d', lines);
  return element(
    'a',
    { class: `card setting ${tone}`, href: `#set-up=${id}` },
    element('span', { class: 'tile' }, mark),
    element(
      'span',
      {},
      element('strong', {}, words.steps[id]),
      element('small', { class: 'facts' }, state),
      check,
    ),
    icon('next'),
  );
}

/**
 * The current value of a setting, in one line.
 * @param {StepId} id
 * @param {AnswersBody} body
 * @returns {string}
 */
function stateOf(id, { answers, fixed }) {
  const { scanner, paperless, languages, buttons } = answers;
  /* The operator's own profiles name their scanner and languages. */
  const own = fixed.profiles.length > 0 ? fixed.profiles.join(', ') : null;
  const states = {
    scanner: () =>
      scanner ? `${plainName(scanner.name)}: ${kindsText(scanner.kinds)}` : withFixed('', own),
    paperless: () => withFixed(paperless.address ?? '', fixed.dms_url ?? fixed.dms_api_token),
    languages: () =>
      withFixed(
        [languageNames(languages ?? []), placeName(answers.time_zone ?? '')]
          .filter(Boolean)
          .join(' · '),
        fixed.time_zone ?? (languages ? null : own),
      ),
    buttons: () => words.buttonsShown(buttons.filter(({ shown }) => shown).length),
    house: () =>
      withFixed(
        answers.house === 'open' ? words.houseOpen : words.housePasswordChoice,
        fixed.scan_api_token,
      ),
    test: () => words.testShort,
  };
  return states[id]();
}

/**
 * Adds a note if the operator fixed the setting.
 * @param {string} text
 * @param {string | null} fixed the environment variable, secret or profiles that fix it
 */
function withFixed(text, fixed) {
  return fixed === null ? text : [text, words.fixedShort(fixed)].filter(Boolean).join(' · ');
}
