import { element } from '../../element.js';
import { selectField } from '../fields.js';

/**
 * A field of the form, which can show a problem.
 * @typedef {object} FormField
 * @property {HTMLElement} row
 * @property {() => string} value
 * @property {(text: string) => void} fail shows a problem and moves focus to the field
 */

/**
 * A list to choose from. `offer` replaces its options, and keeps the chosen one.
 * @param {object} parts
 * @param {string} parts.id
 * @param {string} parts.label
 * @param {string[][]} parts.options values and texts
 * @param {string} parts.value
 * @param {(value: string) => unknown} [parts.onChange]
 * @returns {FormField & { offer: (options: string[][]) => void }}
 */
export function choiceField({ id, label, options, value, onChange }) {
  const change = (/** @type {string} */ chosen) => {
    tell('');
    onChange?.(chosen);
  };
  const { row, select } = selectField({ id, label, options, value, onChange: change });
  const said = element('p', { id: `${id}-said`, role: 'status' });
  select.setAttribute('aria-describedby', said.id);
  row.append(said);

  /** @param {string} text */
  function tell(text) {
    said.textContent = text;
    said.className = text && 'problem';
    if (text) select.setAttribute('aria-invalid', 'true');
    else select.removeAttribute('aria-invalid');
  }

  return {
    row,
    value: () => select.value,
    fail: (text) => {
      tell(text);
      select.focus();
    },
    offer: (offered) => {
      const chosen = select.value;
      select.replaceChildren(
        ...offered.map(([one, text]) =>
          element('option', { value: one, selected: one === chosen }, text),
        ),
      );
    },
  };
}

/**
 * Fields with a heading.
 * @param {string} legend
 * @param {...import('../../element.js').Child} rows
 */
export function group(legend, ...rows) {
  return element('fieldset', { class: 'group' }, element('legend', {}, legend), ...rows);
}
