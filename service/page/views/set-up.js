import { get } from '../api.js';
import { byId, element, icon } from '../element.js';
import { texts, timeText } from '../texts/texts.js';

/**
 * @typedef {import('../types.d.ts').ProfileProblem} ProfileProblem
 * @typedef {import('../types.d.ts').SelfTestCheck} SelfTestCheck
 */

/**
 * Shows what is wrong with profiles, and what the service found when it last tested itself: a new test opens the scanner, and
 * takes some seconds.
 * @param {ProfileProblem[]} problems
 */
export async function showSetUp(problems) {
  const container = byId('set-up');
  container.replaceChildren(...(problems.length > 0 ? [profileProblems(problems)] : []));
  const { status, body } = await get('self-test');
  if (status === 200) container.append(selfTest(body));
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
 * @param {{ checks: SelfTestCheck[], looked_at: string }} result
 * @returns {HTMLElement}
 */
function selfTest({ checks, looked_at }) {
  const found = checks.filter(({ status }) => status === 'fail' || status === 'warn');
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
