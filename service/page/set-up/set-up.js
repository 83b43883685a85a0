import { get } from '../api.js';
import { byId, element } from '../element.js';
import { ask, isGood, problemText } from './calls.js';
import { closedScreen } from './closed.js';
import { notice, withCommands } from './fields.js';
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

/** The message for the next screen: what was just saved, or why it is not the expected one. */
let said = '';

/** True from the first step until the set-up is left, even if a good test scan finishes it. */
let isUnderWay = false;

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
  const { state, logged_in: isLoggedIn, password_changed: isChanged, finished } = body;
  if (signal.aborted) return;
  byId('token').after(section);
  signal.addEventListener('abort', () => {
    if (isAsked()) return;
    section.remove();
    isUnderWay = false;
  });
  const show = (/** @type {Screen} */ screen) => signal.aborted || showScreen(section, screen);
  const again = () => void showSetUp(signal);

  if (status !== 200) show(message(problemText({ status, body }), again));
  else if (state === 'new') {
    const onTaken = () => void (said = words.claimedElsewhere);
    const onNext = () => replaceStep('scanner', again);
    show({ ...claimView(onTaken), place: placeOf(0), onNext });
  } else if (state === 'off') show({ ...message(words.problems['not_found'] ?? ''), ...toHome });
  else if (state !== 'set') show({ ...closedScreen(state, again), ...toHome });
  else if (!isLoggedIn) {
    const why = takeSaid() || (isChanged ? words.logInChanged : '');
    show({ ...logInView(why), onNext: again, ...toHome });
  } else {
    isUnderWay ||= !finished;
    await showAsked(finished && !isUnderWay, show, again);
  }
}

function takeSaid() {
  const text = said;
  said = '';
  return text;
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
  const profile = /^#set-up=profile(?:s|\/([\w-]*))$/.exec(location.hash);
  if (profile) return showProfiles(profile[1], body, show);
  if (step) return show(stepScreen(step, body, isFinished));
  if (id === 'password') return show(asSetting(changePasswordView()));
  if (id === 'done') return show(await finish(again));
  if (isFinished) return show(overview(body, takeSaid(), () => void logOut(again)));
  const next = STEPS.find((one) => body.to_do.some((id) => id === one.id));
  return replaceStep(next?.id ?? 'test', again);
}

/**
 * @param {string | undefined} name undefined for the list, empty for a new profile
 * @param {AnswersBody} body
 * @param {(screen: Screen) => unknown} show
 */
async function showProfiles(name, body, show) {
  const { profileScreen } = await import('./profiles/screens.js');
  const isList = name === undefined;
  const screen = await profileScreen(name, body, isList ? takeSaid() : '', (text) => {
    said = text;
    views.delete('buttons');
    goTo('profiles');
  });
  const onBack = isList ? () => void (location.hash = 'set-up') : () => goTo('profiles');
  show({ next: words.save, ...screen, onBack, ...(isList && { backText: words.settings }) });
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
  /* The test scan stores nothing. */
  const isStoring = id !== 'test' && !view.isFixed;
  if (isFinished) return { ...asSetting(view), submit: isStoring ? stored : undefined };
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

/**
 * Saving and going back lead to the settings instead of the next step.
 * @param {StepView} view
 * @returns {Screen}
 */
function asSetting(view) {
  const toSettings = () => void (location.hash = 'set-up');
  const onNext = () => {
    said = view.saved || words.saved(view.title);
    toSettings();
  };
  return { ...view, next: words.save, onNext, onBack: toSettings, backText: words.settings };
}

/**
 * @param {() => void} again
 * @returns {Promise<Screen>}
 */
async function finish(again) {
  const answer = await ask('POST', 'set-up/finish', {});
  if (!isGood(answer)) return message(problemText(answer), again);
  isUnderWay = false;
  return doneScreen(answer.body.to_do);
}

/** @param {() => void} again */
async function logOut(again) {
  await ask('DELETE', 'set-up/session');
  /* The next person must not see what was typed, such as a token. */
  views.clear();
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
    content: [notice('wait', ...withCommands(text))],
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
