import { byId, element, icon } from '../element.js';
import { texts } from '../texts/texts.js';
import { words } from './texts.js';

/**
 * The content of a step. The set-up keeps it while the page is open, including the typed text.
 * @typedef {object} StepView
 * @property {string} title
 * @property {string | undefined} [lead]
 * @property {import('../element.js').Child[]} content
 * @property {string} [next] label of the main button
 * @property {boolean} [isNextQuiet] true if the content has a button that is more important
 * @property {boolean} [isFixed] true if the operator fixed everything in it, so that nothing can be saved
 * @property {string} [saved] the message after saving, if there is more to say than the title
 * @property {() => Promise<boolean>} submit checks and stores; false if a problem is shown
 */

/**
 * @typedef {object} Screen
 * @property {string} title
 * @property {string | undefined} [lead]
 * @property {import('../element.js').Child[]} content
 * @property {{ at: number, of: number }} [place]
 * @property {string} [next] label of the main button; none without `submit`
 * @property {boolean} [isNextQuiet] true if the content has a button that is more important
 * @property {(() => Promise<boolean>) | undefined} [submit] false if a problem is shown
 * @property {() => void} [onNext] called after `submit`
 * @property {() => void} [onBack]
 * @property {string} [backText]
 * @property {boolean} [isBackFirst] true if the button for going back comes first, since the screen is long
 * @property {() => void} [onLater]
 */

/**
 * Shows a screen of the set-up, and moves focus to its heading. Enter presses the main button.
 * @param {HTMLElement} section
 * @param {Screen} screen
 */
export function showScreen(section, screen) {
  const { title, lead, content, place, onLater } = screen;
  const back = screen.onBack && quiet(screen.backText ?? words.back, 'back', screen.onBack);
  document.title = `${title} – ${texts.title}`;
  const heading = element('h1', { id: 'set-up-title', tabindex: -1 }, title);
  section.replaceChildren(
    ...(place ? [progress(place)] : []),
    ...(back && screen.isBackFirst ? [element('div', {}, back)] : []),
    heading,
    element(
      'form',
      { novalidate: true, submit: submitter(screen) },
      lead !== undefined && element('p', {}, lead),
      ...content,
      element(
        'div',
        { class: 'step-bar' },
        !screen.isBackFirst && back,
        screen.submit &&
          element(
            'button',
            { class: screen.isNextQuiet ? 'next' : 'next primary' },
            screen.next ?? words.next,
          ),
        onLater && quiet(words.later, undefined, onLater),
      ),
    ),
  );
  scrollTo(0, 0);
  heading.focus();
}

/** @param {Screen} screen */
function submitter({ submit, onNext }) {
  let isBusy = false;
  return async (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    const form = event.currentTarget;
    if (isBusy || !submit || !(form instanceof HTMLFormElement)) return;
    isBusy = true;
    const button = form.querySelector('.next');
    const label = button?.textContent ?? '';
    /* Not `disabled`, which would lose focus. */
    button?.setAttribute('aria-disabled', 'true');
    if (button) button.textContent = words.busy;
    byId('status').textContent = words.checking;
    try {
      if (await submit()) onNext?.();
    } finally {
      isBusy = false;
      byId('status').textContent = '';
      button?.removeAttribute('aria-disabled');
      if (button) button.textContent = label;
    }
  };
}

/**
 * @param {string} text
 * @param {string | undefined} mark
 * @param {() => void} click
 */
function quiet(text, mark, click) {
  return element(
    'button',
    { type: 'button', class: mark ? 'quiet' : 'text', click },
    mark !== undefined && icon(mark),
    text,
  );
}

/** @param {{ at: number, of: number }} place */
function progress({ at, of }) {
  return element(
    'p',
    { class: 'place facts' },
    element('span', { id: 'set-up-place' }, words.place(at, of)),
    element('progress', { value: at, max: of, 'aria-labelledby': 'set-up-place' }),
  );
}
