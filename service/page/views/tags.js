import { get } from '../api.js';
import { element, fill } from '../element.js';
import { later } from '../texts/later.js';

/** @typedef {{ id: number, name: string }} Tag */

/**
 * Chooses tags of the document system by name. Hidden until their list is loaded.
 * @param {HTMLElement} container
 * @param {Tag[]} first the initial tags
 */
export function createTagChooser(container, first) {
  /** @type {Tag[]} */
  let known = [];
  const list = element('datalist', { id: 'tag-names' });
  const input = element('input', {
    id: 'tags',
    list: 'tag-names',
    autocomplete: 'off',
    placeholder: later.optionTagsHint,
    'aria-describedby': 'tag-problem',
  });
  const chosen = createChosen(() => input.focus());
  first.forEach(chosen.add);
  const { problem, meant, say } = createTagProblem(choose);
  onTag(input, take, (name) => {
    const tag = called(name);
    if (tag) choose(tag);
    else say('', []);
  });
  const label = element('label', { for: 'tags' }, later.optionTags);
  container.append(label, chosen.chips, input, problem, meant, list);

  /** @param {string} name */
  function called(name) {
    return known.find((tag) => plain(tag.name) === plain(name));
  }

  /** @param {Tag} tag */
  function choose(tag) {
    input.value = '';
    say('', []);
    chosen.add(tag);
  }

  /** Chooses the typed tag. If there is none, suggests similar ones and returns false. */
  function take() {
    /* If the field is hidden, nobody could correct its text. */
    const typed = known.length === 0 ? '' : input.value.trim();
    const tag = called(typed);
    if (tag) choose(tag);
    else if (typed !== '') say(later.noTag(typed), near(typed, known));
    return typed === '' || tag !== undefined;
  }

  return {
    /** @param {string} profile */
    load: async (profile) => {
      const { status, body } = await get(`metadata/tags?profile=${encodeURIComponent(profile)}`);
      known = status === 200 ? body.tags : [];
      container.hidden = known.length === 0;
      fill(list, known, () => known.map(({ name }) => element('option', { value: name })));
    },
    chosen: () => chosen.now(),
    take: () => {
      if (take()) return chosen.now();
      input.focus();
      return undefined;
    },
  };
}

/**
 * @param {HTMLInputElement} input
 * @param {() => void} onWhole the name is complete
 * @param {(name: string) => void} onName called with a name chosen from the list, and with '' while typing, since a typed name may be the beginning of another
 */
function onTag(input, onWhole, onName) {
  input.addEventListener('input', (event) => {
    const isTyped = event instanceof InputEvent && event.inputType !== 'insertReplacementText';
    onName(isTyped ? '' : input.value);
  });
  input.addEventListener('change', onWhole);
  input.addEventListener('keydown', ({ key }) => key === 'Enter' && onWhole());
}

/** @param {() => void} onRemoved */
function createChosen(onRemoved) {
  const chips = element('div', { class: 'chips' });
  /** @type {Tag[]} */
  let chosen = [];

  /** @param {Tag[]} tags */
  function show(tags) {
    chosen = tags;
    fill(chips, tags, () =>
      tags.map((tag) =>
        tagButton(`${tag.name} ×`, later.removeTag(tag.name), () => {
          show(chosen.filter(({ id }) => id !== tag.id));
          onRemoved();
        }),
      ),
    );
  }

  return {
    chips,
    /** @param {Tag} tag */
    add: (tag) => show([...chosen.filter(({ id }) => id !== tag.id), tag]),
    now: () => chosen,
  };
}

/**
 * Explains that a typed tag does not exist, and suggests others.
 * @param {(tag: Tag) => void} choose
 */
function createTagProblem(choose) {
  const problem = element('p', { id: 'tag-problem', role: 'alert' });
  const meant = element('div', { class: 'chips' });
  return {
    problem,
    meant,
    /**
     * @param {string} text
     * @param {Tag[]} tags
     */
    say: (text, tags) => {
      problem.textContent = text;
      fill(meant, tags, () => tags.map((tag) => tagButton(tag.name, tag.name, () => choose(tag))));
    },
  };
}

/** @param {string} name */
const plain = (name) => name.trim().toLowerCase();

/** Maximum number of suggestions. */
const MOST_NEAR = 4;

/**
 * @param {string} typed
 * @param {Tag[]} known
 */
function near(typed, known) {
  const wanted = plain(typed);
  const isNear = (/** @type {Tag} */ { name }) =>
    plain(name).includes(wanted) || wanted.includes(plain(name)) || isOneOff(plain(name), wanted);
  return known.filter(isNear).slice(0, MOST_NEAR);
}

/**
 * True if the words differ in at most two adjacent letters.
 * @param {string} one
 * @param {string} other
 */
function isOneOff(one, other) {
  const shorter = Math.min(one.length, other.length);
  let head = 0;
  while (head < shorter && one[head] === other[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && one[one.length - 1 - tail] === other[other.length - 1 - tail]) {
    tail += 1;
  }
  return Math.max(one.length, other.length) - head - tail <= 2;
}

/**
 * @param {string} text
 * @param {string} label
 * @param {() => void} click
 */
function tagButton(text, label, click) {
  return element('button', { type: 'button', class: 'chip', 'aria-label': label, click }, text);
}
