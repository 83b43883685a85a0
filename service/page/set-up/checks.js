import { element, icon } from '../element.js';
import { language, locale, timeText } from '../texts/texts.js';
import { ask, isGood, problemText } from './calls.js';
import { words } from './texts.js';

/**
 * @typedef {import('../types.d.ts').SelfTestCheck & Record<'title' | 'text', Record<'en' | 'de', string>>} Check
 * @typedef {keyof typeof CARDS} CardId
 * @typedef {{ checks: Check[], looked_at: string }} Result
 */

/** The checks of the self-test that belong to a card, by their ids. */
const CARDS = {
  scanner: /^(?:runtime|scanner)\b(?!\.options)/,
  paperless: /^(?:dms\.|secrets\.token$)/,
  languages: /^processor/,
  profiles: /^(?:profiles|trigger|scanner\.options)/,
  house: /^secrets\.caller_token$/,
  test: /^(?:storage|settings|clock)/,
};

/** @type {Check['status'][]} */
const FINE = ['ok', 'skipped'];

/** Interval for updating the age of the last check, in milliseconds. */
const AGE_MS = 20_000;

/** The last self-test: a line for each card, and all checks. */
export function createChecks() {
  /** @type {Map<CardId, HTMLElement>} */
  const lines = new Map();
  const list = element('ul', { class: 'checks' });
  const said = element('p', { role: 'status' });
  const press = { type: 'button', class: 'text', click: () => void look(true) };
  const again = element('button', press, words.checkAgain);
  /* Until the checks have answered, no icon claims a result. */
  const summary = element('summary', {}, words.selfTest);
  const details = element('details', { class: 'note' }, summary, list);
  /** @type {Result | undefined} */
  let result;

  /** @param {boolean} isRefreshed */
  async function look(isRefreshed) {
    if (again.hasAttribute('aria-disabled')) return;
    again.setAttribute('aria-disabled', 'true');
    said.textContent = words.checking;
    const answer = await ask('GET', `set-up/self-test?refresh=${isRefreshed}`);
    again.removeAttribute('aria-disabled');
    if (!isGood(answer)) {
      said.textContent = problemText(answer);
      if (!result) for (const line of lines.values()) line.textContent = words.notChecked;
      return;
    }
    result = answer.body;
    show(answer.body);
  }

  /** @param {Result} shown */
  function show(shown) {
    const { checks, looked_at: at } = shown;
    const [wrong, fine] = [checks.filter(isWrong), checks.filter((one) => !isWrong(one))];
    said.textContent = words.checkedAt(timeText(at), wrong.length);
    summary.replaceChildren(icon(wrong.length === 0 ? 'check' : 'warning'), words.selfTest);
    list.replaceChildren(...[...wrong, ...fine].map(checkLine));
    showAges();
  }

  function showAges() {
    if (result) for (const [id, line] of lines) fillLine(line, id, result);
  }

  void look(false);
  const timer = setInterval(() => {
    if (details.isConnected) showAges();
    else clearInterval(timer);
  }, AGE_MS);
  return {
    parts: [said, again, details],
    /** @param {string} id of a card; some have no checks */
    lineOf: (id) => {
      if (!isCard(id)) return null;
      const line = element('small', { class: 'facts check' }, words.checking);
      lines.set(id, line);
      return line;
    },
  };
}

/** @param {string} id @returns {id is CardId} */
function isCard(id) {
  return Object.hasOwn(CARDS, id);
}

/** @param {Check} check */
function isWrong({ status }) {
  return !FINE.includes(status);
}

/**
 * When the card was checked, and its first problem in the words of the self-test.
 * @param {HTMLElement} line
 * @param {CardId} id
 * @param {Result} result
 */
function fillLine(line, id, { checks, looked_at: at }) {
  const own = checks.filter((one) => CARDS[id].test(one.id));
  const [problem, ...others] = own.filter(isWrong);
  line.className = problem ? 'problem check' : 'facts check';
  const isGood = own.some(({ status }) => status === 'ok');
  const state = problem?.text[language] ?? (isGood ? words.fine[id] : words.notChecked);
  const more = others.length > 0 && words.moreProblems(others.length);
  line.textContent = [words.checkedAgo(ageOf(at), state ?? ''), more].filter(Boolean).join(' ');
}

const ages = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });

/** @param {string} at */
function ageOf(at) {
  const minutes = Math.max(0, Math.round((Date.now() - Date.parse(at)) / 60_000));
  if (minutes === 0) return words.justNow;
  if (minutes < 60) return ages.format(-minutes, 'minute');
  const hours = Math.round(minutes / 60);
  return hours < 24 ? ages.format(-hours, 'hour') : ages.format(-Math.round(hours / 24), 'day');
}

/** @param {Check} check */
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
