import { button, element, fill, icon, showDialog } from '../element.js';
import { later } from '../texts/later.js';
import { explain, texts } from '../texts/texts.js';
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
 * @param {string} [parts.problem] what to say first
 * @param {Wish} parts.wish
 * @param {(wish: Wish) => void} parts.onChange the button's text has changed
 * @param {() => void} parts.onScan
 * @param {(text: string, saved?: string) => Promise<void>} parts.onSaved a button was saved, or removed
 * @param {(text: string) => Promise<void>} parts.onStale the button was changed elsewhere
 */
export function openDialog(profile, parts) {
  const { answer, problem = '', wish, onChange, onScan } = parts;
  const { name, kind } = profile;
  const isBroken = kind === null;
  const fields = createWishFields(wish);
  const settings = createSettings(profile, answer.languages ?? [], () => onChange(fields.now()));
  const { dialog, said, show } = createSheet(labelOf(profile), settings.summary, close, problem);

  /** Keeps title and tags for the next press. Undefined if a tag must be corrected first. */
  function take() {
    const taken = fields.take();
    if (taken) onChange(taken);
    return taken;
  }

  function close() {
    if (take()) dialog.close();
  }

  function scan() {
    if (!take()) return;
    dialog.close();
    onScan();
  }

  const { save, tools } = createSaver({
    profile,
    saving: answer.saving,
    take,
    show,
    showOptions,
    onRefused: (status, body) => {
      said.textContent = (explain(body.error) ?? [texts.unknownError, body.message]).join('. ');
      if (status !== 412) return;
      void parts.onStale(said.textContent);
      dialog.close();
    },
    onSaved: (text, saved) => {
      /* The saved button now has these settings, so the choice for this button is reset. */
      keepChoice(name, { settings: {}, kinds: {} });
      onChange({ title: '', tags: [] });
      void parts.onSaved(text, saved);
      dialog.close();
    },
  });

  function showOptions() {
    const brokenNote = isBroken && element('p', {}, later.brokenAdvice);
    const options = isBroken ? [] : [settings.fields, ...fields.parts];
    const done = button('quiet', later.done, close);
    const buttons = isBroken ? [] : [button('primary', later.scanSo, scan), save ?? done];
    show([tools, brokenNote, ...options], ...buttons);
  }

  showOptions();
  closeBy(dialog, close, `options-${name}`);
  showDialog(dialog);
  if (!isBroken) void Promise.all([settings.load(), fields.load(name)]);
}

/**
 * Creates the dialog. `show` fills its body and footer.
 * @param {string} label
 * @param {HTMLElement} summary
 * @param {() => void} close
 * @param {string} problem
 */
function createSheet(label, summary, close, problem) {
  const said = element('p', { role: 'alert', class: 'problem' }, problem);
  const body = element('div', { class: 'body' });
  const footer = element('footer');
  const labelled = { class: 'sheet', 'aria-labelledby': 'options-title' };
  const header = headerOf(label, summary, close);
  return {
    dialog: element('dialog', labelled, header, said, body, footer),
    said,
    /** @type {(parts: (Node | false)[], ...buttons: HTMLElement[]) => void} */
    show: (parts, ...buttons) => {
      body.replaceChildren(...parts.filter((one) => one !== false));
      footer.replaceChildren(...buttons);
      body.scrollTo(0, 0);
    },
  };
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
    /* Chromium 156 fires this late: a button that was just saved may have the focus by then. */
    if (document.activeElement === document.body) document.getElementById(opener)?.focus();
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
