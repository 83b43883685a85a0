import { post } from '../api.js';
import { byId, element, fill } from '../element.js';
import { texts } from '../texts/texts.js';

/**
 * Asks for the token of the service until it is right. The browser then has a cookie, and is not asked again.
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
    const advice = element('p', { id: 'token-advice' }, texts.tokenAdvice);
    /** @param {Event} event */
    const submit = async (event) => {
      event.preventDefault();
      const { status } = await post('session', { token: input.value });
      if (status === 204) {
        section.hidden = true;
        resolve();
        return;
      }
      advice.textContent = `${texts.tokenWrong} ${texts.tokenAdvice}`;
      input.setAttribute('aria-invalid', 'true');
      input.select();
    };
    fill(section, Date.now(), () => [
      element('h1', { id: 'token-title' }, texts.tokenTitle),
      element(
        'form',
        { submit: (event) => void submit(event) },
        element('label', { for: 'token-text' }, texts.token),
        input,
        advice,
        element('button', { class: 'primary' }, texts.tokenSend),
      ),
    ]);
    input.focus();
  });
}
