import { element, fill, icon, showDialog } from '../element.js';
import { later } from '../texts/later.js';
import { choiceOf, choiceText, keepChoice } from './choices.js';
import { createSaver } from './save.js';
import { askForChoices, settingsFields } from './settings.js';
import { labelOf } from './start.js';
import { createTagChooser } from './tags.js';

/**
 * @typedef {import('../types.d.ts').ProfileSummary} ProfileSummary
 * @typedef {import('./home.js').Wish} Wish
 */

const MAX_TITLE = 127;

/**
 * The options of a button: settings stored on this device, and a title and tags for the next scan.
 * @param {ProfileSummary} profile
 * @param {object} parts
 * @param {import('../types.d.ts').ProfilesBody} parts.answer
 * @param {Wish} parts.wish
 * @param {(wish: Wish) => void} parts.onChange the button's text has changed
 * @param {() => void} parts.onScan
 * @param {() => void} parts.onSaved a button was saved or removed
 */
export function openDialog(profile, { answer, wish, onChange, onScan, onSaved }) {
  const { name, kind } = profile;
  const isBroken = kind === null;
  const fields = createWishFields(wish);
  const settings = createSettings(profile, answer.languages ?? [], () => onChange(fields.now()));
  const saving = element('div', { class: 'saving' });
  const done = element('button', { type: 'button', class: 'quiet', click: close }, later.done);
  const scanButton = element(
    'button',
    { type: 'button', class: 'primary', click: scan },
    later.scanSo,
  );
  const dialog = element(
    'dialog',
    { class: 'sheet', 'aria-labelledby': 'options-title' },
    headerOf(labelOf(profile), settings.summary, close),
    element(
      'div',
      { class: 'body' },
      isBroken && element('p', {}, later.brokenAdvice),
      settings.fields,
      ...(isBroken ? [] : fields.parts),
      saving,
    ),
    !isBroken && element('footer', {}, scanButton, done),
  );

  /** Keeps the title and tags for the next press. False if a tag must be corrected first. */
  function take() {
    const taken = fields.take();
    if (taken) onChange(taken);
    return taken !== undefined;
  }

  function close() {
    if (take()) dialog.close();
  }

  function scan() {
    if (!take()) return;
    dialog.close();
    onScan();
  }

  createSaver(saving, done, {
    profile,
    saving: answer.saving,
    wish: fields.now,
    onSaved: () => {
      /* The saved button now has these settings, so the choice for this button is reset. */
      keepChoice(name, { settings: {}, kinds: {} });
      onChange({ title: '', tags: [] });
      onSaved();
      dialog.close();
    },
  });
  closeBy(dialog, close, `options-${name}`);
  showDialog(dialog);
  if (!isBroken) void Promise.all([settings.load(), fields.load(name)]);
}

/**
 * Closes a dialog on Escape or a press outside, and focuses the element that opened it.
 * @param {HTMLDialogElement} dialog
 * @param {() => void} close may keep the dialog open
 * @param {string} opener
 */
function closeBy(dialog, close, opener) {
  dialog.addEventListener('cancel', (event) => {
    event.preventDefault();
    close();
  });
  dialog.addEventListener('click', ({ target }) => target === dialog && close());
  dialog.addEventListener('close', () => {
    dialog.remove();
    document.getElementById(opener)?.focus();
  });
}

/**
 * @param {string} label
 * @param {HTMLElement} summary
 * @param {() => void} close
 */
function headerOf(label, summary, close) {
  return element(
    'header',
    {},
    element('div', {}, element('h2', { id: 'options-title' }, later.optionsOf(label)), summary),
    element(
      'button',
      { type: 'button', 'aria-label': later.close, class: 'round', click: close },
      icon('cross'),
    ),
  );
}

/** @param {Wish} wish */
function createWishFields(wish) {
  const title = element('input', {
    id: 'title',
    maxlength: MAX_TITLE,
    autocomplete: 'off',
    placeholder: later.optionTitleHint,
  });
  title.value = wish.title;
  const tagField = element('div', { class: 'field', hidden: true });
  const tags = createTagChooser(tagField, wish.tags);
  const label = element('label', { for: 'title' }, later.optionTitle);
  const now = () => ({ title: title.value.trim(), tags: tags.chosen() });
  return {
    parts: [element('div', { class: 'field' }, label, title), tagField],
    load: tags.load,
    now,
    take: () => (tags.take() ? now() : undefined),
  };
}

/**
 * The settings to choose from, and a summary of the differences from the button.
 * @param {ProfileSummary} profile
 * @param {string[]} languages
 * @param {() => void} onChange
 */
function createSettings(profile, languages, onChange) {
  const { name } = profile;
  const fields = element('div', { class: 'settings' });
  const summary = element('p', { class: 'facts' });
  const reset = element(
    'button',
    { type: 'button', class: 'text', click: () => choose({ settings: {}, kinds: {} }) },
    later.resetOptions,
  );
  /** @type {import('../types.d.ts').ScannerChoice[] | undefined} */
  let choices;

  /** @param {import('./choices.js').Choice} choice */
  function choose(choice) {
    keepChoice(name, choice);
    draw();
    onChange();
  }

  function draw() {
    const choice = choiceOf(name);
    const text = choiceText(choice);
    const isOwn = text === '';
    fill(summary, text, () => [isOwn ? later.asButton : `${text} `, !isOwn && reset]);
    const option = fields.contains(document.activeElement) ? document.activeElement?.id : undefined;
    fill(fields, [choices, choice], () =>
      settingsFields(profile, { choices, languages, choice }, choose),
    );
    if (option !== undefined) document.getElementById(option)?.focus();
  }

  draw();
  return {
    fields,
    summary,
    load: async () => {
      if (!profile.settings) return;
      choices = await askForChoices(profile.based_on ?? name);
      draw();
    },
  };
}
