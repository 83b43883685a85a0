import { get } from '../api.js';
import { byId, element, icon } from '../element.js';
import { texts, timeText } from '../texts/texts.js';

/**
 * @typedef {import('../types.d.ts').ProfileProblem} ProfileProblem
 * @typedef {import('../types.d.ts').SelfTestCheck} SelfTestCheck
 */

/** @typedef {{ checks: SelfTestCheck[], looked_at: string }} SelfTest */

/**
 * Shows what is wrong with profiles and with the set-up; nothing where nothing is.
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
  return element(
    'details',
    { class: 'note' },
    element('summary', {}, icon('warning'), texts.profileProblems(files.size)),
    element(
      'ul',
      { lang: 'en' },
      ...problems.map(({ file, message }) =>
        element('li', {}, element('code', {}, file), ` ${message}`),
      ),
    ),
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
    texts.setUpAgain,
  );
  const note = element(
    'details',
    { class: 'note' },
    element(
      'summary',
      {},
      icon(isGood ? 'check' : 'warning'),
      `${texts.setUp}: ${isGood ? texts.setUpGood : texts.setUpBad(found.length)}`,
    ),
    !isGood && element('p', {}, texts.setUpOperator),
    element(
      'ul',
      { lang: 'en' },
      ...found.map(({ subject, message, remedy }) =>
        element(
          'li',
          {},
          element('strong', {}, subject),
          ` ${message}`,
          Boolean(remedy) && ` ${remedy}`,
        ),
      ),
    ),
    element('p', {}, `${timeText(looked_at)} `, again),
  );

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

/** @param {SelfTestCheck} check */
function isWrong({ status }) {
  return status === 'fail' || status === 'warn';
}
