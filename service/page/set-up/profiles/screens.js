import { ask, isGood, problemText } from '../calls.js';
import { notice } from '../fields.js';
import { profileView } from './form.js';
import { profilesScreen } from './list.js';
import { profileWords as words } from './texts.js';

/**
 * @typedef {import('../screen.js').StepView} StepView
 * @typedef {import('./types.d.ts').ProfileEntry} ProfileEntry
 */

/**
 * The forms that were opened, by name, including what was typed.
 * @type {Map<string, StepView>}
 */
const views = new Map();

/**
 * The list of profiles, or the form of one. `said` is shown with the list.
 * @param {string | undefined} name undefined for the list, empty for a new profile
 * @param {import('../types.d.ts').AnswersBody} body
 * @param {string} said
 * @param {(said: string) => void} toList
 * @returns {Promise<Omit<import('../screen.js').Screen, 'onBack'>>}
 */
export async function profileScreen(name, body, said, toList) {
  if (name === undefined) {
    const answer = await ask('GET', 'set-up/profiles');
    return isGood(answer) ? profilesScreen(answer.body, said) : failed(problemText(answer));
  }
  const answer = name === '' ? undefined : await ask('GET', `set-up/profiles/${name}`);
  if (answer && !isGood(answer)) return failed(problemText(answer));
  /** @type {ProfileEntry | undefined} */
  const entry = answer?.body;
  if (entry?.fixed_by) return failed(words.fixed(entry.fixed_by));
  const leave = (/** @type {string} */ text) => {
    views.delete(name);
    toList(text);
  };
  const view = views.get(name) ?? profileView(body, entry, leave);
  views.set(name, view);
  return { ...view, onNext: () => leave(view.saved ?? '') };
}

/** @param {string} text */
function failed(text) {
  return { title: words.title, content: [notice('wait', text)] };
}
