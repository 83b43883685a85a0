import { button, byId, element, fill, icon } from '../element.js';
import { actionsOf, resendingOf } from '../scan/actions.js';
import { backsOf, isAgain } from '../scan/scan-view.js';
import { headlineOf, isResuming, refusalOf } from '../scan/screen.js';
import { texts } from '../texts/texts.js';
import { confirmedButton } from './confirmed.js';
import { createNewest, documentCards, showPages } from './documents.js';
import { notes } from './notes.js';

/**
 * @typedef {import('../types.d.ts').ScanView} ScanView
 * @typedef {import('../scan/screen.js').ScreenState} ScreenState
 * @typedef {import('../scan/actions.js').Action} Action
 * @typedef {{ onAction: (action: Action) => void, onOpen: (page: number) => void, onTitle: (title: string) => void }} Does
 */

const MARKS = /** @type {const} */ ({
  busy: 'scan',
  good: 'check',
  bad: 'warning',
  wait: 'pause',
  gone: 'cross',
});

/**
 * @returns {(screen: ScreenState, does: Does) => void} shows a scan, or why there is none
 */
export function createScanScreen() {
  const announce = createAnnouncer();
  const showNewest = createNewest();
  /** @type {(page: number) => void} */
  let openPage = () => {};
  byId('pages').addEventListener('click', ({ target }) => {
    const item = target instanceof Element ? target.closest('li') : null;
    if (item) openPage(Number(item.id.replace('page-', '')));
  });
  return (screen, { onAction, onOpen, onTitle }) => {
    const { scan, error, say } = screen;
    const headline = headlineOf(screen);
    const heading = byId('headline');
    byId('state').className = `state ${headline.tone}`;
    fill(byId('mark'), headline.tone, () => [icon(MARKS[headline.tone])]);
    heading.textContent = headline.title;
    byId('advice').textContent = [headline.advice, triggerText(screen)].filter(Boolean).join(' ');
    document.title = `${headline.title} · ${texts.title}`;
    showProgress(screen);
    fill(
      byId('notes'),
      [!say, scan?.warnings, scan?.pages, scan?.documents, error ?? scan?.error],
      () => (say ? notes(screen, say) : []),
    );
    const actions = actionsOf(screen);
    showNaming(screen, onTitle);
    showDocuments(screen, actions, onAction);
    const isMissing = missesBacks(screen);
    fill(byId('missed-backs'), isMissing, () => (isMissing ? [backsNote()] : []));
    const isSeen = screen.phase === 'known' && !screen.isLost && !isAgain(screen.request);
    showNewest(isSeen ? scan : undefined);
    showPages(byId('pages'), scan);
    openPage = onOpen;
    const refusal = refusalOf(screen);
    showActions(actions, onAction);
    if (byId('refusal').textContent !== refusal) byId('refusal').textContent = refusal;
    byId('action-bar').hidden = actions.length === 0 && refusal === '';
    /* Filing can be over before the next announcement. */
    announce(isResuming(screen) ? '' : spoken(screen, headline));
  };
}

/**
 * @param {ScreenState} screen
 * @param {Action[]} actions
 * @param {(action: Action) => void} onAction
 */
function showDocuments({ scan, say }, actions, onAction) {
  const below = actions.map(({ href }) => href);
  /** @param {string} filename */
  const resend = (filename) => {
    if (scan?.state !== 'finished') return undefined;
    const action = resendingOf(scan, filename);
    return confirmedButton(action.label, 'quiet', () => onAction(action));
  };
  const documents = byId('documents');
  documents.hidden = !scan || scan.documents.length === 0;
  fill(documents, [!say, scan?.scan_id, scan?.state, scan?.documents], () =>
    scan ? documentCards(scan, resend, below, say) : [],
  );
}

/**
 * The title of a held scan, which can be changed until it is filed.
 * @param {ScreenState} screen
 * @param {(title: string) => void} onTitle
 */
function showNaming({ scan, phase }, onTitle) {
  const naming = byId('naming');
  const isNamed = phase === 'known' && scan?.state === 'held';
  naming.hidden = !isNamed;
  if (!isNamed) return;
  fill(naming, [scan.scan_id, scan.title], () => {
    const input = element('textarea', {
      id: 'new-title',
      rows: 1,
      maxlength: MAX_TITLE,
      autocomplete: 'off',
      placeholder: texts.titleHint,
      input: () => {
        if (input.value.includes('\n')) input.value = input.value.replaceAll('\n', ' ');
        fit(input);
        onTitle(input.value);
      },
    });
    input.value = scan.title ?? '';
    return [element('label', { for: 'new-title' }, texts.newTitle), input];
  });
  const input = naming.querySelector('textarea');
  if (input) fit(input);
}

/**
 * Makes the field as high as its text, up to MAX_ROWS.
 * @param {HTMLTextAreaElement} input
 */
function fit(input) {
  input.rows = 1;
  while (input.scrollHeight > input.clientHeight && input.rows < MAX_ROWS) input.rows += 1;
}

const MAX_ROWS = 6;

/** Maximum length of a title, in characters. */
const MAX_TITLE = 127;

/** @param {ScreenState} screen */
function triggerText({ scan, phase }) {
  const { paper, button = '' } = scan?.trigger ?? {};
  if (phase !== 'known' || !scan?.trigger) return '';
  return paper ? texts.byPaper : texts.byButton(button);
}

/** @param {ScreenState} screen */
function showProgress({ scan, phase, request }) {
  const isKnown = phase === 'known';
  const isNew = isKnown && !isAgain(request);
  const feeding = isNew && scan?.state === 'scanning' ? scan : undefined;
  const isCounted = feeding && feeding.kind !== 'card';
  byId('count').textContent = isCounted ? texts.pages(feeding.pages.length) : '';
  const progress = byId('progress');
  /* The total page count is unknown until the feeder stops. */
  progress.hidden = !isKnown || scan?.state !== 'processing';
  if (!scan || progress.hidden) return;
  byId('bar').setAttribute('max', String(scan.pages.length));
  byId('bar').setAttribute('value', String(scan.read.length));
  byId('bar-text').textContent = texts.progress(scan.read.length, scan.pages.length);
}

/**
 * True if a one-sided stack has just been filed without its backs, which may be a mistake.
 * @param {ScreenState} screen
 */
function missesBacks({ scan, request }) {
  if (!request || scan?.state !== 'finished' || scan.kind !== 'feeder') return false;
  return !scan.hasWaited && backsOf(scan) === 'none';
}

function backsNote() {
  return element(
    'details',
    { class: 'note' },
    element('summary', {}, texts.backsAfterwards),
    element('p', {}, texts.backsAfterwardsAdvice),
  );
}

/**
 * @param {Action[]} actions
 * @param {(action: Action) => void} onAction
 */
function showActions(actions, onAction) {
  const container = byId('actions');
  const hadFocus = container.contains(document.activeElement);
  fill(container, actions, () =>
    actions.map((action, index) => {
      const className =
        action.stop || action.discard ? 'quiet' : index === 0 ? 'primary' : 'secondary';
      const press = () => onAction(action);
      if (action.href !== undefined) {
        const { href, label } = action;
        return element(
          'a',
          { class: 'button primary', href, target: '_blank', rel: 'noopener' },
          label,
        );
      }
      return action.isConfirmed
        ? confirmedButton(action.label, className, press)
        : button(className, action.label, press);
    }),
  );
  /* The pressed button is gone, so the focus moves to the headline. */
  if (hadFocus && !container.contains(document.activeElement)) byId('headline').focus();
}

/** Number of pages between two announcements. */
const PAGES_SAID = 5;

/**
 * @param {ScreenState} screen
 * @param {import('../scan/screen.js').Headline} headline
 */
function spoken({ scan }, { title, advice }) {
  if (scan?.state !== 'scanning') return `${title.replace(/\.$/, '')}. ${advice}`;
  const pages = Math.floor(scan.pages.length / PAGES_SAID) * PAGES_SAID;
  return pages === 0 ? title : `${title}. ${texts.pages(pages)}`;
}

/** Pause between announcements, in milliseconds, so that a screen reader can finish. */
const PAUSE_MS = 3000;

/**
 * Announces texts to screen readers through one live region, at intervals. Skips texts in between,
 * but never the last one.
 * @returns {(text: string) => void}
 */
function createAnnouncer() {
  const region = byId('status');
  let next = '';
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;

  function say() {
    timer = undefined;
    if (region.textContent === next) return;
    region.textContent = next;
    timer = setTimeout(say, PAUSE_MS);
  }

  return (text) => {
    next = text;
    if (timer === undefined) say();
  };
}
