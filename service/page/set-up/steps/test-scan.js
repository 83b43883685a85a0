import { post } from '../../api.js';
import { element } from '../../element.js';
import { newKey, startScan } from '../../scan/follow.js';
import { explain, texts } from '../../texts/texts.js';
import { notice, textField } from '../fields.js';
import { words } from '../texts.js';

/**
 * @typedef {import('../../types.d.ts').ScanView} ScanView
 * @typedef {import('../../types.d.ts').ErrorBody} ErrorBody
 */

/** @returns {import('../screen.js').StepView} */
export function testScanView() {
  const said = element('div', { role: 'status' });
  const password = textField({
    id: 'house-password',
    label: words.housePassword,
    isSecret: true,
    input: { autocomplete: 'current-password', maxlength: 100 },
  });
  password.row.hidden = true;
  const press = { type: 'button', class: 'primary', click: () => void scan() };
  const button = element('button', press, words.testNow);

  async function scan() {
    if (button.hasAttribute('aria-disabled')) return;
    button.setAttribute('aria-disabled', 'true');
    /* Exchanges the house password that was typed here for the session cookie. */
    if (password.value() !== '') await post('session', { token: password.value() });
    const { scan: last, error = last?.error } = await scanPage(said);
    said.replaceChildren(...outcomeOf(last, error ?? null));
    button.removeAttribute('aria-disabled');
    button.textContent = words.testAgain;
    /* After a good scan, "next" is the main button; otherwise, the test scan is. */
    const isGood = said.querySelector('.good') !== null;
    button.classList.toggle('primary', !isGood);
    said.closest('form')?.querySelector('.next')?.classList.toggle('primary', isGood);
    if (error?.error !== 'unauthorized') return;
    password.row.hidden = false;
    password.fail(words.housePasswordNeeded);
  }

  return {
    title: words.steps.test,
    lead: words.testLead,
    content: [password.row, button, said],
    isNextQuiet: true,
    submit: async () => true,
  };
}

/**
 * Scans a page with the default profile, and shows the progress.
 * @param {HTMLElement} said
 */
function scanPage(said) {
  const tell = (/** @type {string} */ text) =>
    said.replaceChildren(element('p', {}, text), element('progress', { 'aria-label': text }));
  tell(texts.starting);
  return startScan(
    { key: newKey(), path: 'scan', body: { profile: 'default', title: words.testTitle } },
    {
      signal: new AbortController().signal,
      onConnection: (isLost) => isLost && tell(texts.lost),
      onChange: (now) => tell(progressOf(now)),
    },
  );
}

/** @param {ScanView} scan */
function progressOf({ state, pages, documents }) {
  if (state === 'scanning') return `${texts.scanning}: ${texts.pages(pages.length)}`;
  return documents.length === 0 ? texts.reading : texts.filing;
}

/**
 * @param {ScanView | undefined} scan
 * @param {ErrorBody | null} error
 */
function outcomeOf(scan, error) {
  const link =
    scan && element('a', { class: 'open', href: `#scan=${scan.scan_id}` }, words.testLook);
  if (error) {
    const [title, advice] = explain(error.error) ?? [texts.unknownError, error.message];
    return [notice('bad', element('strong', {}, title), element('p', {}, advice)), ...list(link)];
  }
  const deliveries = scan?.documents.flatMap((one) => one.deliveries) ?? [];
  const isFiled = deliveries.every(({ state }) => state === 'accepted');
  const text = deliveries.length > 0 && isFiled ? words.testGood : words.testPartly;
  return [notice(isFiled ? 'good' : 'wait', text), ...list(link)];
}

/** @param {Node | undefined} one */
function list(one) {
  return one ? [one] : [];
}
