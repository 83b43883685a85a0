import { post } from '../../api.js';
import { element } from '../../element.js';
import { language } from '../../texts/texts.js';
import { confirmedButton } from '../../views/confirmed.js';
import { newName } from '../../views/start.js';
import { isGood, problemText } from '../calls.js';
import { alertLine, forgetDrafts, notice, textField } from '../fields.js';
import { words as setUpWords } from '../texts.js';
import { documentFields } from './document-fields.js';
import { showAtField } from './problems.js';
import { scanFields } from './scan-fields.js';
import { startFields } from './start-fields.js';
import { targetFields } from './target-fields.js';
import { labelText, profileWords as words } from './texts.js';

/**
 * @typedef {import('../types.d.ts').AnswersBody} AnswersBody
 * @typedef {import('./types.d.ts').ProfileEntry} ProfileEntry
 * @typedef {import('./types.d.ts').ProfileForm} ProfileForm
 */

const MAX_LABEL = 40;

/** @type {ProfileForm} */
const NEW = {
  label: '',
  title: '{first_line}',
  destinations: [{ kind: 'dms', create_missing: true }],
};

/**
 * The form of a profile.
 * @param {AnswersBody} body
 * @param {ProfileEntry | undefined} entry undefined for a new profile
 * @param {(said: string) => void} onRemoved
 * @returns {import('../screen.js').StepView}
 */
export function profileView(body, entry, onRemoved) {
  const profile = entry?.profile ?? { ...NEW, label: entry?.label ?? '' };
  const title = titleOf(profile, entry);
  const parts = createParts(`profile-${entry?.name ?? ''}`, profile, body);
  const problem = alertLine();
  let revision = entry?.revision ?? null;
  /* A request that is repeated has the same name, so that it stores no second profile. */
  let name = entry?.name;

  /** @param {import('../../types.d.ts').Answer<any>} answer */
  function refuse(answer) {
    if (showAtField(answer.body, parts.fields)) return false;
    /* 409: the answer to the first request was lost, and something else was typed since. */
    const isTaken = answer.status === 412 || answer.status === 409;
    const isStale = isTaken && typeof answer.body.revision === 'string';
    if (isStale) revision = answer.body.revision;
    problem.textContent = isStale ? words.stale : problemText(answer);
    return false;
  }

  async function submit() {
    problem.textContent = '';
    const wanted = parts.value();
    const label = labelText(wanted.label, '');
    if (label === '') return parts.label.fail(words.labelMissing);
    if (!(await parts.checkTags())) return false;
    name ??= newName(label);
    const answer = await post(`set-up/profiles/${name}`, wanted, 'PUT', revision);
    if (!isGood(answer)) return refuse(answer);
    forgetDrafts(...parts.drafts);
    return true;
  }

  async function remove() {
    problem.textContent = '';
    const answer = await post(`set-up/profiles/${name}`, undefined, 'DELETE', revision);
    if (!isGood(answer) && answer.status !== 404) return refuse(answer);
    forgetDrafts(...parts.drafts);
    return onRemoved(words.removed(title));
  }

  return {
    title,
    content: [
      ...notesOf(entry),
      ...parts.rows,
      problem,
      entry?.removable && confirmedButton(words.remove, 'danger', () => void remove()),
    ],
    /* Read after saving. */
    get saved() {
      return setUpWords.saved(labelText(parts.value().label, ''));
    },
    submit,
  };
}

/** @param {ProfileForm} profile @param {ProfileEntry | undefined} entry */
function titleOf({ label }, entry) {
  return entry ? labelText(label, entry.name) : words.newTitle;
}

/** What to know before changing a profile. @param {ProfileEntry | undefined} entry */
function notesOf(entry) {
  if (!entry) return [];
  const { by, problems, profile } = entry;
  const messages = problems.map(({ message }) => message).join(' ');
  return [
    messages !== '' && notice('wait', words.broken, ' ', element('span', { lang: 'en' }, messages)),
    profile === null && notice('wait', words.hidden),
    by === 'product' && element('p', { class: 'facts' }, words.replaces),
  ];
}

/**
 * The rows of the form, and its fields by the keys of a profile file. Longer keys come first.
 * @param {string} prefix
 * @param {ProfileForm} profile
 * @param {AnswersBody} body
 */
function createParts(prefix, profile, body) {
  const label = textField({
    id: `${prefix}-label`,
    label: words.label,
    input: {
      value: labelText(profile.label, ''),
      maxlength: MAX_LABEL,
      autocomplete: 'off',
      autocapitalize: 'sentences',
    },
  });
  const scan = scanFields(prefix, profile, body.answers.scanner);
  const documents = documentFields(prefix, profile, body);
  const target = targetFields(prefix, profile, body.answers.paperless);
  const start = startFields(prefix, profile.trigger);
  const { 'trigger.button': button, 'trigger.function': ofFunction } = start.fields;
  const texts = [label, documents.title, target.tags, button, ofFunction];
  return {
    label,
    checkTags: target.check,
    rows: [label.row, scan.row, documents.row, target.row, start.row],
    drafts: texts.map(({ input }) => input.id),
    fields: {
      label,
      'destinations.0.tags': target.tags,
      ...scan.fields,
      ...documents.fields,
      ...start.fields,
    },
    /** @returns {ProfileForm} */
    value: () => ({
      ...kept(profile),
      label: labelOf(profile, label.value()),
      ...scan.value(),
      ...documents.value(),
      destinations: target.value(),
      ...start.value(),
    }),
  };
}

/** What the form does not show. @param {ProfileForm} profile */
function kept({ icon, description }) {
  return {
    ...(icon !== undefined && { icon }),
    ...(description !== undefined && { description }),
  };
}

/** Keeps the names in other languages. @param {ProfileForm} profile @param {string} text */
function labelOf({ label }, text) {
  if (typeof label === 'string') return text;
  return text === labelText(label, '') ? label : { ...label, [language]: text };
}
