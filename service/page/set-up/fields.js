import { element, icon } from '../element.js';
import { words } from './texts.js';

/**
 * @typedef {import('../element.js').Child} Child
 * @typedef {import('../element.js').Properties} Properties
 */

/**
 * A labelled input with its hint, and a place for its problem.
 * @typedef {object} Field
 * @property {HTMLElement} row
 * @property {HTMLInputElement} input
 * @property {() => string} value the trimmed text; secrets are not trimmed
 * @property {(text: string) => false} fail shows a problem and moves focus to the input
 * @property {(text: string) => void} note shows a good result
 * @property {(text: string) => void} warn shows a problem, and leaves focus where it is
 * @property {(value: string, text: string) => void} fix shows a value that cannot be changed, and why
 */

/**
 * @param {object} parts
 * @param {string} parts.id
 * @param {string} parts.label
 * @param {string} [parts.hint]
 * @param {boolean} [parts.isSecret] hidden while typed, and never kept by the page
 * @param {Properties} [parts.input]
 * @returns {Field}
 */
export function textField({ id, label, hint = '', isSecret = false, input: properties = {} }) {
  const input = element('input', {
    id,
    type: isSecret ? 'password' : 'text',
    autocapitalize: 'none',
    spellcheck: 'false',
    'aria-describedby': `${id}-hint ${id}-said`,
    ...properties,
  });
  const hinted = element('p', { id: `${id}-hint`, class: 'facts' }, ...withCommands(hint));
  const said = element('p', { id: `${id}-said`, role: 'status' });
  if (!isSecret && properties['autocomplete'] !== 'one-time-code') {
    input.value = drafts()[id] ?? input.value;
    input.addEventListener('input', () => keepDraft(id, input.value));
  }
  input.addEventListener('input', () => say('', ''));

  /** @param {string} text @param {'' | 'problem' | 'success'} kind */
  function say(text, kind) {
    said.textContent = text;
    said.className = kind;
    input.toggleAttribute('aria-invalid', kind === 'problem');
    if (kind === 'problem') input.setAttribute('aria-invalid', 'true');
  }

  return {
    row: element(
      'div',
      { class: 'field' },
      element('label', { for: id }, label),
      isSecret ? element('div', { class: 'secret' }, input, revealer(input, label)) : input,
      hinted,
      said,
    ),
    input,
    value: () => (isSecret ? input.value : input.value.trim()),
    fail: (text) => {
      say(text, 'problem');
      input.focus();
      return false;
    },
    note: (text) => say(text, 'success'),
    warn: (text) => say(text, 'problem'),
    fix: (value, text) => {
      input.value = value;
      input.readOnly = true;
      hinted.textContent = text;
    },
  };
}

/**
 * A button that shows or hides the typed secret.
 * @param {HTMLInputElement} input
 * @param {string} label
 */
function revealer(input, label) {
  const button = element(
    'button',
    {
      type: 'button',
      class: 'quiet',
      'aria-label': words.reveal(label),
      click: () => {
        const isShown = input.type === 'text';
        input.type = isShown ? 'password' : 'text';
        button.textContent = isShown ? words.show : words.hide;
        button.setAttribute('aria-label', (isShown ? words.reveal : words.conceal)(label));
      },
    },
    words.show,
  );
  return button;
}

/**
 * Radio buttons or checkboxes in a row.
 * @param {object} parts
 * @param {string} parts.legend
 * @param {string} parts.name
 * @param {'radio' | 'checkbox'} [parts.type]
 * @param {{ id: string, text: string, isChosen: boolean }[]} parts.options
 * @param {(id: string, isChosen: boolean) => void} parts.onChange
 */
export function segments({ legend, name, type = 'radio', options, onChange }) {
  return element(
    'fieldset',
    {},
    element('legend', {}, legend),
    element(
      'div',
      { class: 'segments' },
      ...options.map(({ id, text, isChosen }) => {
        const input = element('input', {
          type,
          name,
          id: `${name}-${id}`,
          checked: isChosen,
          change: ({ target }) => onChange(id, target.checked),
        });
        return element('label', {}, input, element('span', {}, text));
      }),
    ),
  );
}

/**
 * A choice with an explanation, as a card.
 * @param {object} parts
 * @param {'radio' | 'checkbox'} parts.type
 * @param {string} parts.id
 * @param {string} parts.name
 * @param {string} parts.text
 * @param {string} [parts.hint]
 * @param {boolean} parts.isChosen
 * @param {boolean} [parts.isFixed]
 * @param {string} [parts.tone] `wait` if the hint is a problem
 * @param {(isChosen: boolean) => void} parts.onChange
 */
export function choiceCard({
  type,
  id,
  name,
  text,
  hint = '',
  tone = '',
  isChosen,
  isFixed,
  onChange,
}) {
  const input = element('input', {
    type,
    id,
    name,
    checked: isChosen,
    disabled: isFixed,
    change: ({ target }) => onChange(target.checked),
  });
  return element(
    'label',
    { class: `choice-card ${tone}` },
    input,
    element(
      'span',
      {},
      element('strong', {}, text),
      hint !== '' && element('small', { class: 'facts' }, hint),
    ),
  );
}

/**
 * Radio buttons with explanations. Only one can be chosen.
 * @param {object} parts
 * @param {string} parts.name
 * @param {string} parts.label
 * @param {{ id: string, text: string, hint: string }[]} parts.options
 * @param {string} parts.chosen
 * @param {(id: string) => void} parts.onChange
 */
export function choices({ name, label, options, chosen, onChange }) {
  return element(
    'div',
    { class: 'choices', role: 'group', 'aria-label': label },
    ...options.map(({ id, ...texts }) =>
      choiceCard({
        ...texts,
        type: 'radio',
        name,
        id: `${name}-choice-${id}`,
        isChosen: id === chosen,
        onChange: () => onChange(id),
      }),
    ),
  );
}

/**
 * @param {object} parts
 * @param {string} parts.id
 * @param {string} parts.label
 * @param {string} [parts.hint]
 * @param {string[][]} parts.options values and texts
 * @param {string} parts.value
 * @param {(value: string) => unknown} [parts.onChange]
 */
export function selectField({ id, label, hint, options, value, onChange }) {
  const described = hint === undefined ? undefined : `${id}-hint`;
  const select = element(
    'select',
    { id, change: ({ target }) => onChange?.(target.value), 'aria-describedby': described },
    ...options.map(([one, text]) =>
      element('option', { value: one, selected: one === value }, text),
    ),
  );
  const row = element(
    'div',
    { class: 'field' },
    element('label', { for: id }, label),
    select,
    hint !== undefined && element('p', { id: `${id}-hint`, class: 'facts' }, hint),
  );
  return { row, select };
}

/** A line for a problem that concerns the whole step. */
export function alertLine() {
  return element('p', { class: 'problem', role: 'alert' });
}

/**
 * A message in a box, with an icon for its tone.
 * @param {'good' | 'wait' | 'bad'} tone
 * @param {...Child} children
 */
export function notice(tone, ...children) {
  const mark = { good: 'check', wait: 'warning', bad: 'warning' }[tone];
  return element('div', { class: `callout ${tone}` }, icon(mark), element('div', {}, ...children));
}

/**
 * Text with commands between backticks, which break only at spaces: a command that breaks at one of
 * its hyphens cannot be read.
 * @param {string} text
 * @returns {Child[]}
 */
export function withCommands(text) {
  return text.split('`').map((part, index) => {
    if (index % 2 === 0) return part;
    const words = part.split(' ').flatMap((word) => [' ', element('span', {}, word)]);
    return element('code', { class: 'command' }, ...words.slice(1));
  });
}

/** The entry of the session storage for text that must survive a reload. Never holds secrets. */
const DRAFTS = 'set-up-drafts';

/** @returns {Record<string, string>} */
function drafts() {
  try {
    return Object(JSON.parse(sessionStorage.getItem(DRAFTS) ?? '{}'));
  } catch {
    /* The session storage is blocked. */
    return {};
  }
}

/** @param {string} id @param {string | undefined} text */
function keepDraft(id, text) {
  try {
    sessionStorage.setItem(DRAFTS, JSON.stringify({ ...drafts(), [id]: text }));
  } catch {
    /* The session storage is blocked, so drafts are not kept. */
  }
}

/**
 * Deletes the drafts of these fields, because the service has stored their values.
 * @param {...string} ids
 */
export function forgetDrafts(...ids) {
  for (const id of ids) keepDraft(id, undefined);
}
