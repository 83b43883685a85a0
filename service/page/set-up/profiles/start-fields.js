import { element } from '../../element.js';
import { textField } from '../fields.js';
import { choiceField } from './fields.js';
import { profileWords as words } from './texts.js';

/**
 * What starts the profile at the scanner.
 * @param {string} prefix of ids
 * @param {import('./types.d.ts').Trigger | undefined} trigger
 */
export function startFields(prefix, trigger) {
  const known = trigger && 'button' in trigger ? trigger : undefined;
  const kind = choiceField({
    id: `${prefix}-trigger`,
    label: words.trigger,
    options: Object.entries(words.triggers),
    value: known ? 'button' : trigger ? 'paper' : 'none',
    onChange: show,
  });
  const button = textField({
    id: `${prefix}-button`,
    label: words.button,
    hint: words.buttonHint,
    input: { value: known?.button ?? 'scan', maxlength: 64, autocomplete: 'off' },
  });
  const chosen = textField({
    id: `${prefix}-function`,
    label: words.function,
    hint: words.functionHint,
    input: {
      value: known?.function === undefined ? '' : String(known.function),
      inputmode: 'numeric',
      maxlength: 2,
      autocomplete: 'off',
    },
  });

  function show() {
    for (const { row } of [button, chosen]) row.hidden = kind.value() !== 'button';
  }

  show();
  return {
    row: element('div', { class: 'group' }, kind.row, button.row, chosen.row),
    fields: { 'trigger.button': button, 'trigger.function': chosen, trigger: kind },
    value: () => {
      if (kind.value() === 'none') return {};
      if (kind.value() === 'paper') return { trigger: { paper: true } };
      const number = chosen.value();
      /* The service says what is wrong with other text. */
      const ofFunction = number === '' ? {} : { function: /^\d+$/.test(number) ? +number : number };
      return { trigger: { button: button.value(), ...ofFunction } };
    },
  };
}
