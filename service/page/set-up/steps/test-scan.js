import { post } from '../../api.js';
import { element } from '../../element.js';
import { newKey, startScan } from '../../scan/follow.js';
import { explain, texts } from '../../texts/texts.js';
import { ask, isGood, problemText } from '../calls.js';
import { notice, textField } from '../fields.js';
import { words } from '../texts.js';

/**
 * @typedef {import('../../types.d.ts').ScanView} ScanView
 * @typedef {import('../../types.d.ts').ErrorBody} ErrorBody
 */

/** @returns {import('../screen.js').StepView} */
export function testScanView() {
  const said = element('div', { role: 'status' });
  const password = passwordField();
  const button = primaryButton(() => void scan());
  const stop = createStop();
  /* After a good scan, "next" is the main button; otherwise, the test scan is. */
  const isDone = () => said.querySelector('.good') !== null;

  async function scan() {
    if (button.hasAttribute('aria-disabled')) return;
    button.setAttribute('aria-disabled', 'true');
    button.classList.remove('primary');
    button.textContent = words.testRunning;
    try {
      await logInAndScan();
    } finally {
      stop.hide();
      button.removeAttribute('aria-disabled');
      button.textContent = labelAfter(said);
      button.classList.toggle('primary', !isDone());
      said.closest('form')?.querySelector('.next')?.classList.toggle('primary', isDone());
    }
  }

  /** Shows the outcome, or asks for the password for scanning. */
  async function logInAndScan() {
    /* Exchanges the house password that was typed here for the session cookie. */
    if (password.value() !== '') {
      const answer = await post('session', { token: password.value() });
      if (!isGood(answer)) {
        const isWrong = answer.status === 401;
        password.fail(isWrong ? words.housePasswordWrong : problemText(answer));
        return;
      }
    }
    const { scan: last, error = last?.error } = await scanPage(said, stop.show);
    if (error?.error === 'unauthorized') {
      said.replaceChildren();
      password.row.hidden = false;
      password.fail(words.housePasswordNeeded);
      return;
    }
    password.row.hidden = true;
    said.replaceChildren(...outcomeOf(last, error ?? null));
    /* The set-up is finished, even if the person goes to this scan instead of to the last screen. */
    if (isDone()) await ask('POST', 'set-up/finish', {});
  }

  return {
    title: words.steps.test,
    lead: words.testLead,
    next: words.finish,
    content: [password.row, button, said, stop.button],
    /* Read whenever the step is shown again. */
    get isNextQuiet() {
      return !isDone();
    },
    submit: async () => true,
  };
}

/** @param {() => void} click */
function primaryButton(click) {
  return element('button', { type: 'button', class: 'primary', click }, words.testNow);
}

/** @param {HTMLElement} said shows the outcome of a scan, if there was one */
function labelAfter(said) {
  return said.querySelector('.callout') ? words.testAgain : words.testNow;
}

/** Asks for the password for scanning on a device that never gave it. Hidden at first. */
function passwordField() {
  const field = textField({
    id: 'house-password',
    label: words.housePassword,
    isSecret: true,
    input: { autocomplete: 'current-password', maxlength: 100 },
  });
  field.row.hidden = true;
  return field;
}

/** The button that stops the feeder while a scan is under way. */
function createStop() {
  let id = '';
  const press = { type: 'button', class: 'quiet', hidden: true, click: () => void send() };
  const button = element('button', press, texts.stop);

  async function send() {
    if (button.hasAttribute('aria-disabled')) return;
    button.setAttribute('aria-disabled', 'true');
    button.textContent = texts.stopping;
    const { status } = await post(`scans/${id}/stop`, {});
    if (status === 202) return;
    button.removeAttribute('aria-disabled');
    button.textContent = texts.stop;
  }

  return {
    button,
    hide: () => void (button.hidden = true),
    /** @param {ScanView} scan */
    show: ({ scan_id: now, state }) => {
      button.hidden = state !== 'scanning';
      if (id === now) return;
      id = now;
      button.removeAttribute('aria-disabled');
      button.textContent = texts.stop;
    },
  };
}

/**
 * Scans a page with the default profile, and shows the progress.
 * @param {HTMLElement} said
 * @param {(scan: ScanView) => void} onChange
 */
function scanPage(said, onChange) {
  const line = element('p');
  const bar = element('progress', { 'aria-label': words.steps.test });
  said.replaceChildren(line, bar);
  const tell = (/** @type {string} */ text) => {
    if (line.textContent !== text) line.textContent = text;
  };
  tell(texts.starting);
  return startScan(
    { key: newKey(), path: 'scan', body: { profile: 'default', title: words.testTitle } },
    {
      signal: new AbortController().signal,
      onConnection: (isLost) => isLost && tell(texts.lost),
      onChange: (now) => {
        tell(progressOf(now));
        showRead(bar, now);
        onChange(now);
      },
    },
  );
}

/** @param {ScanView} scan */
function progressOf({ state, pages, read }) {
  if (state === 'scanning') return `${texts.scanning}: ${texts.pages(pages.length)}`;
  return state === 'processing' ? texts.progress(read.length, pages.length) : texts.filing;
}

/**
 * Shows how many pages are read. Their number is unknown until the feeder stops; until then, and
 * while the document is filed, the bar only moves.
 * @param {HTMLProgressElement} bar
 * @param {ScanView} scan
 */
function showRead(bar, { state, pages, read }) {
  if (state !== 'processing') return bar.removeAttribute('value');
  bar.max = pages.length;
  bar.value = read.length;
}

/**
 * @param {ScanView | undefined} scan
 * @param {ErrorBody | null} error
 */
function outcomeOf(scan, error) {
  if (error) {
    const [title, advice] = problemOf(error);
    return [notice('bad', element('strong', {}, title), element('p', {}, advice)), ...linkTo(scan)];
  }
  const documents = scan?.documents ?? [];
  const deliveries = documents.flatMap((one) => one.deliveries);
  const isFiled = documents.length > 0 && deliveries.every(({ state }) => state === 'accepted');
  const pages = scan?.pages.length ?? 0;
  /* The default profile may keep its documents on the machine. */
  const good = deliveries.length > 0 ? words.testGood : words.testKept;
  const text = (isFiled ? good : words.testPartly)(pages);
  return [notice(isFiled ? 'good' : 'wait', text), ...linkTo(scan)];
}

/**
 * The title of a problem, and what to do.
 * @param {ErrorBody} error
 */
function problemOf({ error, message }) {
  const [title, advice] = explain(error) ?? [texts.unknownError, message];
  return [error === 'no_scanner_detected' ? words.scannerOff : title, advice];
}

/**
 * A link to the scan, if it has pages.
 * @param {ScanView | undefined} scan
 */
function linkTo(scan) {
  if (!scan || scan.pages.length === 0) return [];
  return [element('a', { class: 'open', href: `#scan=${scan.scan_id}` }, words.testLook)];
}
