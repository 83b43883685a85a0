import { choices, textField } from '../fields.js';
import { group } from './fields.js';
import { profileWords as words } from './texts.js';

/** @typedef {import('./types.d.ts').ProfileForm} ProfileForm */

/**
 * Where the documents go: only what the appliance has already, never another address.
 * @param {string} prefix of ids
 * @param {ProfileForm} profile
 * @param {import('../types.d.ts').AnswersBody['answers']['paperless']} paperless
 */
export function targetFields(prefix, { destinations }, { address, token }) {
  const [first] = destinations;
  const known = first?.tags ?? [];
  let isDms = first !== undefined;
  const tags = textField({
    id: `${prefix}-tags`,
    label: words.tags,
    hint: words.tagsHint,
    input: { value: known.join(', '), autocomplete: 'off' },
  });
  const where = address !== null && token ? address : words.dmsMissing;
  const choice = choices({
    name: `${prefix}-destination`,
    label: words.destination,
    options: [
      { id: 'dms', text: words.dms, hint: where },
      { id: 'folder', text: words.folder, hint: words.folderHint },
    ],
    chosen: isDms ? 'dms' : 'folder',
    onChange: (id) => {
      isDms = id === 'dms';
      tags.row.hidden = !isDms;
    },
  });
  tags.row.hidden = !isDms;
  return {
    row: group(words.destination, choice, tags.row),
    tags,
    /** @returns {ProfileForm['destinations']} */
    value: () => {
      if (!isDms) return [];
      const names = tags.value().split(',');
      const given = names.map((one) => one.trim()).filter(Boolean);
      const { tags: _, ...others } = first ?? { kind: 'dms' };
      return [{ ...others, ...(given.length > 0 && { tags: withIds(given, known) }) }];
    },
  };
}

/**
 * Tags that the profile names by their ids keep them.
 * @param {string[]} names
 * @param {(string | number)[]} known
 */
function withIds(names, known) {
  return names.map((name) => known.find((one) => String(one) === name) ?? name);
}
