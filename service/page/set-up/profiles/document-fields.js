import { element } from '../../element.js';
import { capital, languageText, wordFor } from '../../views/choices.js';
import { alertLine, segments, textField } from '../fields.js';
import { languageNames } from '../texts.js';
import { choiceField, group } from './fields.js';
import { profileWords as words } from './texts.js';

/**
 * @typedef {import('../types.d.ts').AnswersBody} AnswersBody
 * @typedef {import('./types.d.ts').ProfileForm} ProfileForm
 */

const MAX_TITLE = 200;

const GROUPINGS = ['combined', 'per_page', 'per_sheet', 'separator', 'blank_page', 'card'];

/**
 * How pages become documents.
 * @param {string} prefix of ids
 * @param {ProfileForm} profile
 * @param {AnswersBody} body
 */
export function documentFields(prefix, { assembly, processing, title: known }, body) {
  const grouping = choiceField({
    id: `${prefix}-page_grouping`,
    label: words.grouping,
    options: GROUPINGS.map((one) => [one, capital(wordFor(one))]),
    value: assembly?.page_grouping ?? 'combined',
  });
  const blank = choiceField({
    id: `${prefix}-remove_blank_pages`,
    label: words.blank,
    options: Object.entries(words.blanks),
    value: assembly?.remove_blank_pages ?? 'none',
  });
  const spoken = languagesField(`${prefix}-language`, processing?.languages, body);
  const title = textField({
    id: `${prefix}-title`,
    label: words.documentTitle,
    hint: words.documentTitleHint,
    input: { value: known ?? '', maxlength: MAX_TITLE, autocomplete: 'off' },
  });
  return {
    row: group(words.documents, grouping.row, blank.row, spoken.row, title.row),
    title,
    fields: {
      'assembly.page_grouping': grouping,
      'assembly.remove_blank_pages': blank,
      'processing.languages': spoken,
      title,
    },
    value: () => ({
      ...spoken.value(),
      assembly: { page_grouping: grouping.value(), remove_blank_pages: blank.value() },
      ...(title.value() !== '' && { title: title.value() }),
    }),
  };
}

/**
 * @param {string} name
 * @param {string[] | undefined} own
 * @param {AnswersBody} body
 */
function languagesField(name, own, { languages: { installed }, answers }) {
  const chosen = new Set(own);
  const known = [...new Set([...(installed ?? []), ...chosen])];
  const problem = alertLine();
  const row = element(
    'div',
    {},
    segments({
      legend: words.languages,
      name,
      type: 'checkbox',
      options: known.map((code) => ({
        id: code,
        text: languageText(code),
        isChosen: chosen.has(code),
      })),
      onChange: (code, isChosen) => {
        problem.textContent = '';
        if (isChosen) chosen.add(code);
        else chosen.delete(code);
      },
    }),
    problem,
    element('p', { class: 'facts' }, words.languagesHint(languageNames(answers.languages ?? []))),
  );
  return {
    row: known.length > 0 && row,
    value: () => (chosen.size > 0 ? { processing: { languages: [...chosen] } } : {}),
    /** @param {string} text */
    fail: (text) => {
      problem.textContent = text;
      row.querySelector('input')?.focus();
    },
  };
}
