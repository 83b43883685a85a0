import { call, remove } from '../api.js';
import { element, fill, icon, ICONS } from '../element.js';
import { later } from '../texts/later.js';
import { explain, texts } from '../texts/texts.js';
import { choiceOf, choiceWords } from './choices.js';
import { confirmedButton } from './scan.js';
import { labelOf } from './start.js';

/**
 * @typedef {import('../types.d.ts').ProfileSummary} ProfileSummary
 * @typedef {import('../types.d.ts').SavedButton} SavedButton
 * @typedef {import('./home.js').Wish} Wish
 */

const MAX_LABEL = 40;

/**
 * Saves the options as a new button, or removes a saved button.
 * @param {HTMLElement} container
 * @param {HTMLElement} place of the button that opens the form
 * @param {object} parts
 * @param {ProfileSummary} parts.profile
 * @param {import('../types.d.ts').ProfilesBody['saving']} parts.saving
 * @param {() => Wish} parts.wish the title and tags in the form
 * @param {() => void} parts.onSaved
 */
export function createSaver(container, place, { profile, saving, wish, onSaved }) {
  if (!saving?.possible) return;
  const problem = element('p', { role: 'alert', class: 'problem' });
  const form = element('div');

  /** @param {import('../types.d.ts').Answer<any>} answer */
  function judge({ status, body }) {
    if (status >= 200 && status < 300) return onSaved();
    problem.textContent = (explain(body.error) ?? [texts.unknownError, body.message]).join('. ');
    problem.scrollIntoView();
  }

  /** @param {string} label @param {string} chosenIcon */
  async function save(label, chosenIcon) {
    judge(
      await call(`profiles/${nameFor(label)}`, {
        method: 'PUT',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(buttonOf(profile, wish(), { label, icon: chosenIcon })),
      }),
    );
  }

  async function removeIt() {
    const answer = await remove(`profiles/${profile.name}`, profile.revision);
    /* Already removed by another device. */
    judge(answer.status === 404 ? { ...answer, status: 204 } : answer);
  }

  function ask() {
    fill(form, true, () => [namingForm(profile, (label, chosen) => void save(label, chosen))]);
    form.scrollIntoView();
    form.querySelector('input')?.select();
  }

  container.append(form, problem);
  if (saving.left === 0) container.append(element('p', { class: 'facts' }, later.noButtonLeft));
  else if (profile.kind !== null) {
    const offer = { type: 'button', class: 'quiet', click: ask };
    place.replaceWith(element('button', offer, later.saveAs));
  }
  if (profile.saved)
    container.append(confirmedButton(later.removeButton, 'text danger', () => void removeIt()));
}

/** @typedef {(label: string, icon: string) => void} Save */

/**
 * @param {ProfileSummary} profile
 * @param {Save} save
 */
function namingForm(profile, save) {
  const first = profile.icon ?? profile.kind ?? 'letter';
  const icons = [...new Set([first === 'both_sides' ? 'letter' : first, ...ICONS])];
  let [chosen = 'letter'] = icons;
  const input = element('input', { id: 'button-label', maxlength: MAX_LABEL, required: true });
  input.value = [labelOf(profile), choiceWords(choiceOf(profile.name))]
    .filter(Boolean)
    .join(', ')
    .slice(0, MAX_LABEL);
  const iconChoice = (/** @type {string} */ name) =>
    element(
      'label',
      {},
      element('input', {
        type: 'radio',
        name: 'icon',
        'aria-label': later.icons[name] ?? name,
        checked: name === chosen,
        change: () => (chosen = name),
      }),
      element('span', {}, icon(name)),
    );
  /** @param {Event} event */
  function submit(event) {
    event.preventDefault();
    if (input.value.trim() !== '') save(input.value.trim(), chosen);
  }
  return element(
    'form',
    { submit, class: 'field' },
    element('label', { for: 'button-label' }, later.buttonName),
    input,
    element(
      'fieldset',
      {},
      element('legend', {}, later.buttonIcon),
      element('div', { class: 'segments icons' }, ...icons.map(iconChoice)),
    ),
    element('button', { class: 'primary' }, later.saveButton),
  );
}

/**
 * @param {ProfileSummary} profile
 * @param {Wish} wish
 * @param {{ label: string, icon: string }} named
 * @returns {SavedButton}
 */
function buttonOf({ name, own, saved, based_on }, { title, tags }, named) {
  return {
    ...own,
    ...named,
    based_on: (saved && based_on) || name,
    settings: { ...own?.settings, ...choiceOf(name).settings },
    ...(title !== '' && { title }),
    ...(tags.length > 0 && { tags: [...(own?.tags ?? []), ...tags.map((tag) => tag.name)] }),
  };
}

/**
 * A unique name: the letters a–z of the label, and a random ending.
 * @param {string} label
 */
function nameFor(label) {
  const plain = label
    .normalize('NFD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, MAX_LABEL);
  const [random = 0] = crypto.getRandomValues(new Uint16Array(1));
  return `${plain || 'button'}-${random.toString(16).padStart(4, '0')}`;
}
