import { get } from '../api.js';
import { byId, element, icon } from '../element.js';
import { later } from '../texts/later.js';
import { timeText } from '../texts/texts.js';

/**
 * @typedef {import('../types.d.ts').ProfileProblem} ProfileProblem
 * @typedef {import('../types.d.ts').SelfTestCheck} SelfTestCheck
 */

/** @typedef {{ checks: SelfTestCheck[], looked_at: string }} SelfTest */

/**
 * Shows problems with profiles and the self-test, if any.
 * @param {ProfileProblem[]} problems
 * @param {SelfTest | undefined} result
 */
export function showSetUp(problems, result) {
  byId('set-up').replaceChildren(
    ...(problems.length > 0 ? [profileProblems(problems)] : []),
    ...(result?.checks.some(isWrong) ? [selfTest(result)] : []),
  );
}

/** @param {ProfileProblem[]} problems */
function profileProblems(problems) {
  const files = new Set(problems.map(({ file }) => file));
  const words = problems.map(({ file, message }) =>
    element('li', {}, element('code', {}, file), ` ${message}`),
  );
  return operatorsNote('warning', later.profileProblems(files.size), words);
}

/**
 * A note for the operator, with the service's own messages and the command to run.
 * @param {'check' | 'warning'} mark
 * @param {string} title
 * @param {HTMLElement[]} words the service's messages
 */
function operatorsNote(mark, title, words) {
  const quoted = [
    element('p', {}, later.setUpOperator),
    element('p', { class: 'facts' }, later.setUpWords),
    element('ul', { lang: 'en' }, ...words),
  ];
  return element(
    'details',
    { class: 'note' },
    element('summary', {}, icon(mark), title),
    ...(words.length > 0 ? quoted : []),
  );
}

/**
 * @param {SelfTest} result
 * @returns {HTMLElement}
 */
function selfTest({ checks, looked_at }) {
  const found = checks.filter(isWrong);
  const isGood = found.length === 0;
  const again = element(
    'button',
    { type: 'button', class: 'quiet', click: () => void look() },
    later.setUpAgain,
  );
  const note = operatorsNote(
    isGood ? 'check' : 'warning',
    `${later.setUp}: ${verdict(found)}`,
    found.map(({ subject, message, remedy }) => {
      const words = ` ${message}${remedy ? ` ${remedy}` : ''}`;
      return element('li', {}, element('strong', {}, subject), words);
    }),
  );
  note.append(element('p', {}, `${timeText(looked_at)} `, again));

  async function look() {
    again.disabled = true;
    const { status, body } = await get('self-test?refresh=true');
    again.disabled = false;
    if (status !== 200) return;
    const renewed = selfTest(body);
    renewed.toggleAttribute('open', true);
    note.replaceWith(renewed);
    renewed.querySelector('button')?.focus();
  }

  return note;
}

/** @param {SelfTestCheck[]} found */
function verdict(found) {
  const open = found.filter(({ status }) => status === 'unknown').length;
  const bad = found.length - open;
  const parts = [
    ...(bad > 0 ? [later.setUpBad(bad)] : []),
    ...(open > 0 ? [later.setUpOpen(open)] : []),
  ];
  return parts.join(', ') || later.setUpGood;
}

/**
 * `unknown` counts as a problem.
 * @param {SelfTestCheck} check
 */
function isWrong({ status }) {
  return status !== 'ok' && status !== 'skipped';
}
