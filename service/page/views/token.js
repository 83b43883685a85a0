import { post } from '../api.js';
import { byId, element, fill } from '../element.js';
import { keep, kept } from '../kept.js';
import { later } from '../texts/later.js';
import { explain } from '../texts/texts.js';

/** The key in the browser's storage: a token was accepted here before. */
const ACCEPTED = 'token-accepted';

/**
 * Asks for the caller token until the service accepts one. The service then sets a cookie.
 * @returns {Promise<void>}
 */
export function askForToken() {
  const section = byId('token');
  section.hidden = false;
  return new Promise((resolve) => {
    const input = element('input', {
      id: 'token-text',
      type: 'password',
      autocomplete: 'current-password',
      required: true,
      'aria-describedby': 'token-advice',
    });
    const reason = kept(ACCEPTED) === true ? `${later.tokenAgain} ` : '';
    const advice = element('p', { id: 'token-advice' }, reason + later.tokenAdvice);
    /** @param {Event} event */
    const submit = async (event) => {
      event.preventDefault();
      const { status, body } = await post('session', { token: input.value });
      if (status === 204) {
        keep(ACCEPTED, true);
        section.hidden = true;
        resolve();
        return;
      }
      const isWrong = status === 401;
      advice.textContent = isWrong ? later.tokenWrong : (explain(body.error)?.join('. ') ?? '');
      advice.className = 'problem';
      input.setAttribute('aria-invalid', 'true');
      input.select();
    };
    fill(section, Date.now(), () => [
      element('h1', { id: 'token-title' }, later.tokenTitle),
      element(
        'form',
        { submit: (event) => void submit(event) },
        element('label', { for: 'token-text' }, later.token),
        input,
        advice,
        element('button', { class: 'primary' }, later.tokenSend),
      ),
    ]);
    input.focus();
  });
}
