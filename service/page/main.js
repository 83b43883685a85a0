import { get, post } from './api.js';
import { byId, icon } from './element.js';
import { createKnowledge, pause, WOKEN } from './awake.js';
import { discard } from './scan/edit.js';
import { followScan, newKey, startScan } from './scan/follow.js';
import { watchAfterwards } from './scan/afterwards.js';
import { explain, language, texts } from './texts/texts.js';
import { createHome } from './views/home.js';
import { createLarge } from './views/large.js';
import { showNotice } from './views/notice.js';
import { createScanScreen } from './views/scan.js';

/**
 * @typedef {import('./types.d.ts').ScanRequest} ScanRequest
 * @typedef {import('./scan/actions.js').Action} Action
 * @typedef {import('./scan/screen.js').ScreenState} ScreenState
 * @typedef {import('./scan/follow.js').Follower} Follower
 * @typedef {import('./scan/follow.js').Followed} Followed
 */

/** Refresh interval of the list while it is visible, in milliseconds. */
const LIST_MS = 4000;

document.documentElement.lang = language;
byId('back').append(icon('back'), texts.allScans);
/* Until a new scan has an id, the address has no hash, and the link "#" causes no `hashchange`. */
byId('back').addEventListener('click', () => location.hash === '' && void showWhatIsAsked());

/** Aborted when another view is shown. */
let current = new AbortController();
let startedId = '';

const knowledge = createKnowledge(showKnowledge);
const home = createHome(run);
const showScan = createScanScreen();
let redraw = () => {};
const settings = byId('settings');

/* Tells the script in index.html, which reloads a page that fails to start, that this one did. */
document.documentElement.dataset['started'] = '';
addEventListener('hashchange', () => void showWhatIsAsked());
/* Another device may have finished the set-up. */
addEventListener(WOKEN, () => void offerSetUp());
void showWhatIsAsked();

/**
 * Leads to the set-up of a new appliance, or offers the settings. Without an operator password, they
 * show the command that makes one.
 */
async function offerSetUp() {
  const { status, body } = await get('set-up');
  if (status !== 200) return;
  const { state, finished } = body;
  if (state === 'new') location.replace('#set-up');
  settings.hidden = state === 'off';
  settings.textContent = finished === true ? texts.settings : texts.finishSetUp;
}

function showKnowledge() {
  const isLost = knowledge.known() === 'offline';
  byId('connection').hidden = !isLost;
  byId('connection').textContent = isLost ? texts.lost : '';
  redraw();
}

/** Shows the view in the address, so views can be bookmarked and reloaded. */
async function showWhatIsAsked() {
  const id = /^#scan=([\w-]+)$/.exec(location.hash)?.[1];
  /* A scan that was just started is already shown. */
  if (id !== undefined && id === startedId) return;
  if (location.hash.startsWith('#set-up')) {
    leave('set-up');
    home.checkAgain();
    const { signal } = current;
    const { showSetUp } = await import('./set-up/set-up.js').catch(reloadLater);
    return signal.aborted || showSetUp(signal);
  }
  leave(id === undefined ? 'home' : 'scan');
  if (id === undefined) await showHome(current.signal);
  else await follow(undefined, (follower) => followScan(id, follower));
}

/**
 * Lets the script in index.html reload the page as soon as the service answers.
 * @param {unknown} error
 * @returns {never}
 */
function reloadLater(error) {
  delete document.documentElement.dataset['started'];
  throw error;
}

/**
 * Aborts the work of the current view and shows the next one.
 * @param {'home' | 'scan' | 'set-up'} next
 */
function leave(next) {
  current.abort();
  current = new AbortController();
  startedId = '';
  redraw = () => {};
  byId('status').textContent = '';
  byId('waiting').after(settings);
  if (next === 'scan') showNotice();
  for (const part of ['home', 'scan']) byId(part).hidden = part !== next;
  /* The focused element is now hidden. */
  byId(next === 'home' ? 'start-title' : 'headline').focus();
}

/**
 * Shows the profiles and recent scans, and refreshes them while visible.
 * @param {AbortSignal} signal
 */
async function showHome(signal) {
  document.title = texts.title;
  void offerSetUp();
  home.clear();
  while (!signal.aborted) {
    const status = document.hidden ? undefined : await home.refresh(signal);
    if (signal.aborted) return;
    if (status !== undefined) knowledge.signal(status === 0 ? 'unanswered' : 'answered');
    if (status === 401) await askForToken('home');
    else await pause(LIST_MS, signal).catch(() => {});
  }
}

/**
 * Sends a scan request and shows the scan's progress.
 * @param {ScanRequest} request
 * @param {import('./types.d.ts').ScanView} [before] the scan on the screen
 */
function run(request, before) {
  const made = { key: newKey(), ...request };
  leave('scan');
  void follow(made, (follower) => startScan(made, follower), before);
}

/** Loads the translations of the service's messages. If that fails, they stay in English. */
function words() {
  return import('./later.js').then(
    ({ say }) => say,
    () => {
      knowledge.signal('unanswered');
      return () => undefined;
    },
  );
}

/**
 * Shows a scan until it ends, and then any later changes made elsewhere.
 * @param {ScanRequest | undefined} request
 * @param {(follower: Follower) => Promise<Followed>} work
 * @param {import('./types.d.ts').ScanView} [before] the scan on the screen when the request was sent
 */
async function follow(request, work, before) {
  const { signal } = current;
  /** @type {ScreenState} */
  let state = { request, before, phase: request ? 'starting' : 'opening', isStopping: false };
  const show = (/** @type {Partial<ScreenState>} */ change) => {
    if (signal.aborted) return;
    state = { ...state, ...change };
    redraw();
  };
  const onLost = () => knowledge.signal('unanswered');
  const large = createLarge({ signal, show, run: (next) => run(next, state.scan), onLost });
  const presses = {
    onAction: (/** @type {Action} */ action) => act(action, state.scan, show),
    onOpen: (/** @type {number} */ page) => state.scan && void large.open(state.scan, page),
    onTitle: (/** @type {string} */ newTitle) => show({ newTitle }),
  };
  redraw = () => {
    const isLost = knowledge.known() === 'offline';
    showScan({ ...state, isLost }, presses);
    if (state.scan) large.update(state.scan);
  };
  redraw();
  void words().then((say) => show({ say }));
  const release = keepAwake();
  /** @type {Follower} */
  const follower = {
    signal,
    onConnection: (isLost) => knowledge.signal(isLost ? 'unanswered' : 'answered'),
    onChange: (scan) => {
      nameAddress(scan.scan_id);
      show({ scan, phase: 'known' });
    },
  };
  try {
    const { scan, error } = await work(follower);
    if (error?.error === 'unauthorized') {
      await askForToken('scan');
      const id = state.scan?.scan_id;
      /* After a log-in, a scan that has begun is followed; otherwise its request is repeated. */
      await follow(request, id ? (follower) => followScan(id, follower) : work, before);
      return;
    }
    if (scan) nameAddress(scan.scan_id);
    show({ scan, error, phase: 'known', isStopping: false });
    if (!error) large.openReplaced(scan, request?.body['replaces']);
    release();
    await watchAfterwards(() => state, follower, show);
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    release();
  }
}

/**
 * @param {Action} action
 * @param {import('./types.d.ts').ScanView | undefined} scan
 * @param {(change: Partial<ScreenState>) => void} show
 */
function act({ request, watch, stop, discard: isDiscarded, isLeaving }, scan, show) {
  if (request) run(request, scan);
  if (watch) location.hash = `scan=${watch}`;
  if (stop) void stopFeeder(stop, show);
  if (isDiscarded !== undefined) void decide(scan?.scan_id ?? '', isDiscarded, show);
  if (isLeaving) byId('back').click();
}

/**
 * @param {string} id
 * @param {boolean} isDiscarded
 * @param {(change: Partial<ScreenState>) => void} show
 */
async function decide(id, isDiscarded, show) {
  const { signal } = current;
  const { scan, error } = await discard(id, isDiscarded);
  show({ refusal: error, ...(scan && { scan, error: undefined }) });
  if (signal.aborted || error || !isDiscarded) return;
  showNotice(explain('scan_discarded')?.join('. '), texts.undiscard, async () => {
    await discard(id, false);
    location.hash = `scan=${id}`;
  });
  byId('back').click();
}

/**
 * @param {string} id
 * @param {(change: Partial<ScreenState>) => void} show
 */
async function stopFeeder(id, show) {
  show({ isStopping: true, isStopLost: false });
  const { status } = await post(`scans/${id}/stop`, {});
  if (status !== 202) show({ isStopping: false, isStopLost: true });
}

/** @param {string} id */
function nameAddress(id) {
  if (startedId === id) return;
  startedId = id;
  if (location.hash !== `#scan=${id}`) location.hash = `scan=${id}`;
}

/**
 * Asks for the caller token. The form is loaded on demand, since most services need none.
 * @param {'home' | 'scan'} part what to show afterwards
 */
async function askForToken(part) {
  byId(part).hidden = true;
  const form = await import('./later.js');
  const asked = form.askForToken();
  /* Who forgot the password can set a new one. */
  byId('token').append(settings);
  await asked;
  byId('waiting').after(settings);
  byId(part).hidden = false;
  void offerSetUp();
}

/**
 * Keeps the screen on until the returned function is called. Works over https only; browsers
 * release the lock when the page is hidden.
 * @returns {() => void}
 */
function keepAwake() {
  const ended = new AbortController();
  const lock = async () => {
    try {
      const held = await navigator.wakeLock.request('screen');
      if (ended.signal.aborted) await held.release();
      ended.signal.addEventListener('abort', () => void held.release());
    } catch {
      /* The screen may turn off; the page recovers when it wakes. */
    }
  };
  addEventListener(WOKEN, () => void lock(), { signal: ended.signal });
  void lock();
  return () => ended.abort();
}
