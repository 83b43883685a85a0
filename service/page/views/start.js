import { get } from '../api.js';
import { byId, element, fill } from '../element.js';
import { texts } from '../texts/texts.js';

/** @typedef {import('../types.d.ts').ProfileSummary} ProfileSummary */

/** Where the browser keeps the profile that was used last. */
const LAST_PROFILE = 'last-profile';

/**
 * Shows a button per profile: one press scans. The one used last stands out.
 * @param {ProfileSummary[]} profiles
 * @param {(profile: string) => void} onPress
 */
export function showProfiles(profiles, onPress) {
  const last = lastProfile(profiles);
  byId('start-title').textContent = profiles.length > 0 ? texts.start : texts.noProfiles;
  fill(byId('profiles'), [profiles, last], () =>
    profiles.length === 0
      ? [element('p', {}, texts.noProfilesAdvice)]
      : profiles.map(({ name, description }) =>
          element(
            'button',
            {
              type: 'button',
              class: name === last ? 'profile primary' : 'profile',
              click: () => {
                localStorage.setItem(LAST_PROFILE, name);
                onPress(name);
              },
            },
            element('strong', {}, description || name),
            Boolean(description) && element('span', {}, name),
          ),
        ),
  );
}

/**
 * The profile that was used last in this browser, or else the default.
 * @param {ProfileSummary[]} profiles
 */
export function lastProfile(profiles) {
  const names = profiles.map(({ name }) => name);
  const wanted = [localStorage.getItem(LAST_PROFILE), 'default'];
  return wanted.find((name) => name !== null && names.includes(name)) ?? names[0];
}

/** @typedef {{ id: number, name: string }} Tag */

const MAX_TITLE = 127;

/**
 * The fields for the next scan.
 * @returns {{ show: (profile: string | undefined) => void, take: () => Record<string, unknown> }} `take` gives what goes into the
 *   request, and empties the fields
 */
export function createOptions() {
  const container = byId('options');
  const title = element('input', { id: 'title', maxlength: MAX_TITLE, autocomplete: 'off' });
  const hold = element('input', { id: 'hold', type: 'checkbox' });
  const tagField = element('div', { class: 'field', hidden: true });
  const tags = createTagChooser(tagField);
  container.append(
    element('summary', {}, texts.options),
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
    show: (profile) => {
      container.hidden = profile === undefined;
      if (profile !== undefined) void tags.load(profile);
    },
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
