import { get } from '../api.js';
import { byId, element, icon } from '../element.js';
import { texts } from '../texts/texts.js';

/**
 * @typedef {import('../types.d.ts').ProfileProblem} ProfileProblem
 * @typedef {import('../types.d.ts').SelfTestCheck} SelfTestCheck
 */

/**
 * Shows what is wrong with profiles, and what the service finds when it tests itself, which takes some seconds.
 * @param {ProfileProblem[]} problems
 */
export async function showSetUp(problems) {
  const container = byId('set-up');
  container.replaceChildren(...(problems.length > 0 ? [profileProblems(problems)] : []));
  const { status, body } = await get('self-test');
  if (status === 200) container.append(selfTest(body.checks));
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

/** @param {SelfTestCheck[]} checks */
function selfTest(checks) {
  const found = checks.filter(({ status }) => status === 'fail' || status === 'warn');
  if (found.length === 0)
    return element('div', { class: 'note' }, icon('check'), `${texts.setUp}: ${texts.setUpGood}`);
  return element(
    'details',
    { class: 'note' },
    element('summary', {}, icon('warning'), `${texts.setUp}: ${texts.setUpBad(found.length)}`),
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
  );
}
