import { element, icon } from '../element.js';
import { language, texts, timeText } from '../texts/texts.js';
import { ask, isGood, problemText } from './calls.js';
import { notice } from './fields.js';
import { STEPS } from './steps.js';
import { kindsText, languageNames, placeName, plainName, words } from './texts.js';

/**
 * @typedef {import('./types.d.ts').AnswersBody} AnswersBody
 * @typedef {import('./types.d.ts').StepId} StepId
 * @typedef {import('../types.d.ts').SelfTestCheck} SelfTestCheck
 * @typedef {SelfTestCheck & Record<'title' | 'text', Record<'en' | 'de', string>>} TranslatedCheck
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
  return {
    title: words.settings,
    content: [
      said !== '' && element('div', { role: 'status' }, notice('good', said)),
      ...STEPS.map((step) => {
        const isOpen = body.to_do.some((one) => one === step.id);
        return card(step, isOpen ? words.toDo : stateOf(step.id, body), isOpen ? 'wait' : '');
      }),
      selfTest(),
      element('a', { class: 'text', href: '#set-up=password' }, words.changeTitle),
      element('button', logOut, words.logOut),
    ],
    onBack: () => void (location.hash = ''),
    backText: texts.allScans,
    isBackFirst: true,
  };
}

/**
 * @param {import('./steps.js').Step} step
 * @param {string} state
 * @param {'wait' | ''} tone
 */
function card({ id, icon: name = '', lines }, state, tone) {
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
  const { scanner, paperless, buttons } = answers;
  const states = {
    scanner: () =>
      scanner ? `${plainName(scanner.name)}: ${kindsText(scanner.kinds)}` : words.toDo,
    paperless: () => withFixed(paperless.address ?? '', fixed.dms_url ?? fixed.dms_api_token),
    languages: () =>
      withFixed(
        [languageNames(answers.languages ?? []), placeName(answers.time_zone ?? '')]
          .filter(Boolean)
          .join(' · '),
        fixed.time_zone,
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
 * @param {string | null} fixed the environment variable or secret by which it is fixed
 */
function withFixed(text, fixed) {
  return fixed === null ? text : [text, words.fixedShort(fixed)].filter(Boolean).join(' · ');
}

/** @type {SelfTestCheck['status'][]} */
const FINE = ['ok', 'skipped'];

/** Runs the self-test when it is unfolded, and lists its checks. */
function selfTest() {
  const list = element('ul', { class: 'checks' });
  const said = element('p', { role: 'status' });
  const details = element(
    'details',
    {
      class: 'note',
      toggle: () => list.childElementCount === 0 && void look(false),
    },
    element('summary', {}, icon('check'), words.selfTest),
    said,
    list,
    element(
      'button',
      { type: 'button', class: 'text', click: () => void look(true) },
      words.checkAgain,
    ),
  );

  /** @param {boolean} isRefreshed */
  async function look(isRefreshed) {
    said.textContent = words.checking;
    const answer = await ask('GET', `set-up/self-test?refresh=${isRefreshed}`);
    if (!isGood(answer)) {
      said.textContent = problemText(answer);
      return;
    }
    /** @type {{ checks: TranslatedCheck[], looked_at: string }} */
    const { checks, looked_at: at } = answer.body;
    const isFine = (/** @type {TranslatedCheck} */ { status }) => FINE.includes(status);
    const [wrong, fine] = [checks.filter((one) => !isFine(one)), checks.filter(isFine)];
    said.textContent = timeText(at);
    list.replaceChildren(...[...wrong, ...fine].map(checkLine));
  }

  return details;
}

/** @param {TranslatedCheck} check */
function checkLine({ status, title, text }) {
  const isGood = status === 'ok';
  const isLeftOut = status === 'skipped';
  return element(
    'li',
    { class: isGood ? 'good' : isLeftOut ? '' : 'bad' },
    icon(isGood ? 'check' : isLeftOut ? 'pause' : 'warning'),
    element('span', {}, element('strong', {}, title[language]), ` ${text[language]}`),
  );
}
