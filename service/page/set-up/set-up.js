import { get } from '../api.js';
import { byId, element } from '../element.js';
import { ask, isGood, problemText } from './calls.js';
import { notice } from './fields.js';
import { doneScreen, overview } from './overview.js';
import { changePasswordView, claimView, logInView } from './password.js';
import { showScreen } from './screen.js';
import { STEPS } from './steps.js';
import { texts } from '../texts/texts.js';
import { words } from './texts.js';

/**
 * @typedef {import('./screen.js').Screen} Screen
 * @typedef {import('./types.d.ts').AnswersBody} AnswersBody
 * @typedef {import('./screen.js').StepView} StepView
 */

const section = element('section', {
  id: 'set-up-page',
  class: 'set-up-page',
  'aria-labelledby': 'set-up-title',
});

/**
 * The steps that were opened, by id, including the typed text.
 * @type {Map<string, StepView>}
 */
const views = new Map();

const style = new Promise((resolve) => {
  const link = { rel: 'stylesheet', href: 'page/set-up/set-up.css', load: resolve };
  document.head.append(element('link', { ...link, error: resolve }));
});

/**
 * Shows the set-up or the settings until `signal` is aborted. The step is in the page's address.
 * @param {AbortSignal} signal
 */
export async function showSetUp(signal) {
  byId('token').hidden = true;
  const [{ status, body }] = await Promise.all([get('set-up'), style]);
  /** @type {import('./types.d.ts').SetUpState} */
  const { state, logged_in: isLoggedIn, finished } = body;
  if (signal.aborted) return;
  byId('token').after(section);
  signal.addEventListener('abort', () => isAsked() || section.remove());
  const show = (/** @type {Screen} */ screen) => signal.aborted || showScreen(section, screen);
  const again = () => void showSetUp(signal);

  if (status !== 200) show(message(problemText({ status, body }), again));
  else if (state === 'new') {
    show({ ...claimView(), place: placeOf(0), onNext: () => replaceStep('scanner', again) });
  } else if (state !== 'set') show({ ...message(words.closed), ...toHome });
  else if (!isLoggedIn) show({ ...logInView(), onNext: again, ...toHome });
  else await showAsked(finished, show, again);
}

/** True if the address names the set-up or a step of it. */
function isAsked() {
  return location.hash.startsWith('#set-up');
}

const toHome = { onBack: () => void (location.hash = ''), backText: texts.allScans };

/**
 * Shows the step in the address, or else the next step that is not done.
 * @param {boolean} isFinished
 * @param {(screen: Screen) => unknown} show
 * @param {() => void} again
 */
async function showAsked(isFinished, show, again) {
  const answer = await get('set-up/answers');
  if (answer.status === 401) return again();
  if (answer.status !== 200) return show(message(problemText(answer), again));
  /** @type {AnswersBody} */
  const body = answer.body;
  const id = /^#set-up=(\w+)$/.exec(location.hash)?.[1];
  const step = STEPS.find((one) => one.id === id);
  if (step) return show(stepScreen(step, body, isFinished));
  if (id === 'password') return show({ ...changePasswordView(), ...asSetting() });
  if (id === 'done') return show(await finish(again));
  if (isFinished) return show(overview(body, () => void logOut(again)));
  const next = STEPS.find((one) => body.to_do.some((id) => id === one.id));
  return replaceStep(next?.id ?? 'test', again);
}

/**
 * @param {import('./steps.js').Step} step
 * @param {AnswersBody} body
 * @param {boolean} isFinished
 * @returns {Screen}
 */
function stepScreen({ id, open }, body, isFinished) {
  const view = views.get(id) ?? open(body);
  views.set(id, view);
  const stored = async () => {
    const isStored = await view.submit();
    /* Forgets views that depend on the stored answer. The buttons depend on the scanner. */
    if (isStored) for (const one of [id, 'buttons']) views.delete(one);
    return isStored;
  };
  if (isFinished) return { ...view, submit: stored, ...asSetting() };
  const index = STEPS.findIndex((one) => one.id === id);
  const [before, after] = [STEPS[index - 1]?.id, STEPS[index + 1]?.id ?? 'done'];
  return {
    ...view,
    submit: stored,
    place: placeOf(index + 1),
    onNext: () => goTo(after),
    ...(before && { onBack: () => goTo(before) }),
    ...(body.to_do.some((one) => one === id) && { onLater: () => goTo(after) }),
  };
}

/** Saving and going back lead to the settings instead of the next step. */
function asSetting() {
  const toSettings = () => void (location.hash = 'set-up');
  return { next: words.save, onNext: toSettings, onBack: toSettings, backText: words.settings };
}

/**
 * @param {() => void} again
 * @returns {Promise<Screen>}
 */
async function finish(again) {
  const answer = await ask('POST', 'set-up/finish', {});
  return isGood(answer) ? doneScreen(answer.body.to_do) : message(problemText(answer), again);
}

/** @param {() => void} again */
async function logOut(again) {
  await ask('DELETE', 'set-up/session');
  again();
}

/**
 * A screen that shows only a message.
 * @param {string} text
 * @param {() => void} [onAgain]
 * @returns {Screen}
 */
function message(text, onAgain) {
  return {
    title: words.title,
    content: [notice('wait', text)],
    ...(onAgain && { next: words.again, submit: async () => true, onNext: onAgain }),
  };
}

/** @param {number} index the password comes first */
function placeOf(index) {
  return { at: index + 1, of: STEPS.length + 1 };
}

/** @param {string} id */
function goTo(id) {
  location.hash = `set-up=${id}`;
}

/**
 * Goes to a step without a history entry, since "back" would only lead to the same step.
 * @param {string} id
 * @param {() => void} again
 */
function replaceStep(id, again) {
  history.replaceState(null, '', `#set-up=${id}`);
  again();
}
