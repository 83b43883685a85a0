import { element } from '../../element.js';
import { ask, isGood } from '../calls.js';
import { choiceCard, choices, textField } from '../fields.js';
import { group } from './fields.js';
import { profileWords as words } from './texts.js';

/**
 * @typedef {import('./types.d.ts').Destination} Destination
 * @typedef {import('./types.d.ts').ProfileForm} ProfileForm
 */

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
    input: { value: known.join(', '), autocomplete: 'off', list: `${prefix}-tag-names` },
  });
  const offered = tagOffer(`${prefix}-tag-names`, tags.input);
  const creation = creationField(prefix, first, () => tags.note(''));
  const tagRows = element('div', {}, tags.row, offered.list, creation.row);
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
      tagRows.hidden = !isDms;
    },
  });
  tagRows.hidden = !isDms;
  return {
    row: group(words.destination, choice, tagRows),
    tags,
    /** Shows a tag that Paperless-ngx lacks, and returns false. True if it cannot be asked. */
    check: async () => {
      if (!isDms || creation.isChosen()) return true;
      const missing = await offered.missing(given().filter((name) => !isId(name, known)));
      return missing === undefined || tags.fail(words.noTag(missing));
    },
    /** @returns {ProfileForm['destinations']} */
    value: () => (isDms ? [destinationOf(first, given(), creation.isChosen())] : []),
  };

  function given() {
    return namesIn(tags.value());
  }
}

/**
 * Whether tags that do not exist are created. Chosen at first for a new destination.
 * @param {string} prefix of ids
 * @param {Destination | undefined} first
 * @param {() => void} onChosen
 */
function creationField(prefix, first, onChosen) {
  let isChosen = first === undefined || first.create_missing === true;
  const row = choiceCard({
    type: 'checkbox',
    id: `${prefix}-create_missing`,
    name: `${prefix}-create_missing`,
    text: words.createMissing,
    isChosen,
    onChange: (isOn) => {
      isChosen = isOn;
      if (isOn) onChosen();
    },
  });
  return { row, isChosen: () => isChosen };
}

/**
 * @param {Destination | undefined} first
 * @param {string[]} names
 * @param {boolean} creates
 * @returns {Destination}
 */
function destinationOf(first, names, creates) {
  const { tags: known = [], create_missing: before, ...others } = first ?? { kind: 'dms' };
  return {
    ...others,
    ...((creates || before !== undefined) && { create_missing: creates }),
    ...(names.length > 0 && { tags: withIds(names, known) }),
  };
}

/** @param {string} text */
function namesIn(text) {
  return text
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean);
}

/**
 * Offers the tags of Paperless-ngx for the last name in the field.
 * @param {string} id
 * @param {HTMLInputElement} input
 */
function tagOffer(id, input) {
  const list = element('datalist', { id });
  /** @type {string[]} */
  let known = [];

  function show() {
    const before = namesIn(input.value.slice(0, input.value.lastIndexOf(',') + 1));
    const left = known.filter((name) => !before.includes(name));
    const options = left.map((name) => element('option', { value: [...before, name].join(', ') }));
    list.replaceChildren(...options);
  }

  async function load() {
    const answer = await ask('GET', 'metadata/tags');
    if (!isGood(answer)) return;
    known = answer.body.tags.map((/** @type {{ name: string }} */ { name }) => name);
    show();
  }

  input.addEventListener('input', show);
  void load();
  return {
    list,
    /**
     * The first of these names that does not exist. Undefined if all do, or if none is known.
     * @param {string[]} names
     */
    missing: async (names) => {
      if (names.length > 0) await load();
      if (known.length === 0) return undefined;
      return names.find((name) => !known.some((one) => plain(one) === plain(name)));
    },
  };
}

/** @param {string} name */
function plain(name) {
  return name.normalize('NFC').toLowerCase();
}

/** @param {string} name @param {(string | number)[]} known */
function isId(name, known) {
  return known.some((one) => typeof one === 'number' && String(one) === name);
}

/**
 * Tags that the profile names by their ids keep them.
 * @param {string[]} names
 * @param {(string | number)[]} known
 */
function withIds(names, known) {
  return names.map((name) => known.find((one) => String(one) === name) ?? name);
}
