import { post } from '../api.js';
import { button, element, icon, ICONS } from '../element.js';
import { later } from '../texts/later.js';
import { choiceOf, choiceWords } from './choices.js';
import { confirmedButton } from './confirmed.js';
import { labelOf, newName } from './start.js';

/**
 * @typedef {import('../types.d.ts').ProfileSummary} ProfileSummary
 * @typedef {import('../types.d.ts').SavedButton} SavedButton
 * @typedef {import('./home.js').Wish} Wish
 */

const MAX_LABEL = 40;

/**
 * Saves the options as a new button, or as a change of a saved one, or removes that.
 * @param {object} parts
 * @param {ProfileSummary} parts.profile
 * @param {import('../types.d.ts').ProfilesBody['saving']} parts.saving
 * @param {() => Wish | undefined} parts.take title and tags; undefined if they must be corrected first
 * @param {(parts: Node[], ...buttons: HTMLElement[]) => void} parts.show
 * @param {() => void} parts.showOptions
 * @param {(text: string, saved?: string) => void} parts.onSaved
 * @param {(status: number, body: import('../types.d.ts').ErrorBody) => void} parts.onRefused
 * @returns {{ save?: HTMLElement | undefined, tools: HTMLElement }} buttons, for below and above the options
 */
export function createSaver({ profile, saving, take, show, showOptions, onSaved, onRefused }) {
  const tools = element('div', { class: 'saving' });
  if (!saving?.possible) return { tools };
  const { name, saved, kind, revision } = profile;

  /**
   * @param {import('../types.d.ts').Answer<any>} answer
   * @param {string} text
   */
  function judge({ status, body }, text) {
    if (status >= 200 && status < 300) onSaved(text, body.name);
    else onRefused(status, body);
  }

  /** @param {boolean} isNew */
  function ask(isNew) {
    const wish = take();
    if (!wish) return;
    const form = namingForm(profile, isNew, async (named) => {
      const body = buttonOf(profile, wish, named);
      const path = `profiles/${isNew ? newName(named.label) : name}`;
      const answer = await post(path, body, 'PUT', isNew ? null : revision);
      judge(answer, later.saved(named.label));
    });
    show(
      [form],
      element('button', { class: 'primary', form: form.id }, later.saveButton),
      button('quiet', later.cancel, showOptions),
    );
    form.querySelector('input')?.select();
  }

  async function removeIt() {
    const answer = await post(`profiles/${name}`, undefined, 'DELETE', revision);
    /* Already removed by another device. */
    if (answer.status === 404) answer.status = 204;
    judge(answer, later.removed(labelOf(profile)));
  }

  const isOffered = saving.left > 0 && kind !== null;
  const saveAs = isOffered ? button('quiet', later.saveAs, () => ask(true)) : undefined;
  const change =
    saved && kind !== null ? button('quiet', later.changeButton, () => ask(false)) : undefined;
  if (saved) {
    if (change && saveAs) tools.append(saveAs);
    tools.append(confirmedButton(later.removeButton, 'danger', () => void removeIt()));
  }
  if (saving.left === 0) tools.append(element('p', { class: 'facts' }, later.noButtonLeft));
  return { tools, save: change ?? saveAs };
}

/**
 * @param {ProfileSummary} profile
 * @param {boolean} isNew false proposes the name of the button itself
 * @param {(named: { label: string, icon: string }) => Promise<void>} save
 */
function namingForm(profile, isNew, save) {
  const { kind, icon: own } = profile;
  const plain = kind === 'both_sides' || kind === null ? 'letter' : kind;
  let chosen = own ?? plain;
  const icons = [...new Set([...ICONS, plain, chosen])];
  const input = element('input', { id: 'button-label', maxlength: MAX_LABEL, required: true });
  input.value = [labelOf(profile), isNew && choiceWords(choiceOf(profile.name))]
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
    const label = input.value.trim();
    if (label !== '') void save({ label, icon: chosen });
  }
  return element(
    'form',
    { submit, class: 'field', id: 'naming-form' },
    element('label', { for: 'button-label' }, later.buttonName),
    input,
    element(
      'fieldset',
      {},
      element('legend', {}, later.buttonIcon),
      element('div', { class: 'segments icons' }, ...icons.map(iconChoice)),
    ),
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
