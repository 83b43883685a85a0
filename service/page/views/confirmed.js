import { button, element } from '../element.js';
import { texts } from '../texts/texts.js';

/**
 * A button that asks for confirmation: a press replaces it by the question and focuses "yes".
 * @param {string} label
 * @param {string} className
 * @param {() => void} press
 */
export function confirmedButton(label, className, press) {
  const ask = button(className, label, open);
  const place = element('div', { class: 'asking', keydown: onKey }, ask);

  function open() {
    const yes = button('primary', texts.yes, () => {
      close();
      press();
    });
    const question = `${label}?`;
    place.replaceChildren(
      element(
        'div',
        { role: 'group', 'aria-label': question },
        element('p', {}, question),
        yes,
        button('quiet', texts.no, close),
      ),
    );
    yes.focus();
  }

  function close() {
    place.replaceChildren(ask);
    ask.focus();
  }

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    if (event.key !== 'Escape' || ask.isConnected) return;
    /* Keeps Escape from closing a dialog around the button. */
    event.preventDefault();
    close();
  }

  return place;
}
