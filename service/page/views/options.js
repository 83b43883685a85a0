import { get } from '../api.js';
import { element, fill } from '../element.js';
import { texts } from '../texts/texts.js';

/** @typedef {{ id: number, name: string }} Tag */

const MAX_TITLE = 127;

/**
 * The fields for the next scan.
 * @param {HTMLElement} container
 * @returns {{ load: (profile: string) => Promise<void>, take: () => Record<string, unknown> }} `take` gives what goes into the
 *   request, and empties the fields
 */
export function createFields(container) {
  const title = element('input', { id: 'title', maxlength: MAX_TITLE, autocomplete: 'off' });
  const hold = element('input', { id: 'hold', type: 'checkbox' });
  const tagField = element('div', { class: 'field', hidden: true });
  const tags = createTagChooser(tagField);
  container.append(
    element(
      'div',
      { class: 'field' },
      element('label', { for: 'title' }, texts.optionTitle),
      title,
    ),
    tagField,
    element('label', { class: 'choice' }, hold, texts.optionHold),
  );
  return {
    load: tags.load,
    take: () => {
      const chosen = tags.take();
      const fields = {
        ...(title.value.trim() !== '' && { title: title.value.trim() }),
        ...(chosen.length > 0 && { tags: chosen.map(({ id }) => id) }),
        ...(hold.checked && { hold: true }),
      };
      title.value = '';
      hold.checked = false;
      return fields;
    },
  };
}

/**
 * Tags by their names in the document system. Without their list there is no field.
 * @param {HTMLElement} container
 */
function createTagChooser(container) {
  /** @type {Tag[]} */
  let known = [];
  /** @type {Tag[]} */
  let chosen = [];
  const list = element('datalist', { id: 'tag-names' });
  const chips = element('div', { class: 'chips' });
  const input = element('input', {
    id: 'tags',
    list: 'tag-names',
    autocomplete: 'off',
    placeholder: texts.optionTagsHint,
    input: () => choose(known.find(({ name }) => name === input.value)),
  });
  container.append(element('label', { for: 'tags' }, texts.optionTags), chips, input, list);

  /** @param {Tag | undefined} tag */
  function choose(tag) {
    if (!tag) return;
    input.value = '';
    chosen = [...chosen.filter(({ id }) => id !== tag.id), tag];
    show();
  }

  /** @param {Tag} tag */
  function remove(tag) {
    chosen = chosen.filter(({ id }) => id !== tag.id);
    show();
    input.focus();
  }

  function show() {
    fill(chips, chosen, () => chosen.map((tag) => chip(tag, () => remove(tag))));
  }

  return {
    /** @param {string} profile */
    load: async (profile) => {
      const { status, body } = await get(`metadata/tags?profile=${encodeURIComponent(profile)}`);
      known = status === 200 ? body.tags : [];
      container.hidden = known.length === 0;
      fill(list, known, () => known.map(({ name }) => element('option', { value: name })));
    },
    take: () => {
      const taken = chosen;
      chosen = [];
      show();
      return taken;
    },
  };
}

/**
 * @param {Tag} tag
 * @param {() => void} remove
 */
function chip({ name }, remove) {
  const label = texts.removeTag(name);
  const properties = { type: 'button', class: 'chip', 'aria-label': label, click: remove };
  return element('button', properties, `${name} ×`);
}
