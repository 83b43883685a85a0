import { get, post } from './api.js';
import { byId, icon } from './element.js';
import { followScan, startScan } from './scan/follow.js';
import { language, texts } from './texts/texts.js';
import { createRecent } from './views/recent.js';
import { createScanScreen } from './views/scan.js';
import { showSetUp } from './views/set-up.js';
import { createOptions, lastProfile, showProfiles } from './views/start.js';

/**
 * @typedef {import('./types.d.ts').ScanRequest} ScanRequest
 * @typedef {import('./scan/screen.js').ScreenState} ScreenState
 * @typedef {import('./scan/follow.js').Follower} Follower
 * @typedef {import('./scan/follow.js').Followed} Followed
 */

document.documentElement.lang = language;
const options = createOptions();
const recent = createRecent();
const showScan = createScanScreen();
byId('back').append(icon('back'), texts.allScans);
/* Where the address says nothing yet, following the link changes nothing. */
byId('back').addEventListener('click', () => location.hash === '' && void showWhatIsAsked());

/** What is on the screen; another one takes its place when something else is shown. */
let current = new AbortController();
let startedId = '';

addEventListener('hashchange', () => void showWhatIsAsked());
await showWhatIsAsked();

/** The address says what is shown, so that it can be bookmarked and reloaded. */
async function showWhatIsAsked() {
  const id = /^#scan=([\w-]+)$/.exec(location.hash)?.[1];
  /* The address of a scan that was just begun: it is on the screen already. */
  if (id !== undefined && id === startedId) return;
  current.abort();
  startedId = '';
  byId('home').hidden = id !== undefined;
  byId('scan').hidden = id === undefined;
  if (id === undefined) await showHome();
  else await follow(undefined, (follower) => followScan(id, follower));
}

async function showHome() {
  document.title = texts.title;
  const { status, body } = await get('profiles');
  if (status === 401) {
    byId('home').hidden = true;
    await askForToken();
    await showWhatIsAsked();
    return;
  }
  if (status !== 200) {
    showFailure({ error: body });
    return;
  }
  const profiles = body.profiles.filter((/** @type {{ usable: boolean }} */ one) => one.usable);
  showProfiles(profiles, (profile) => run({ path: 'scan', body: { profile, ...options.take() } }));
  options.show(lastProfile(profiles));
  await Promise.all([recent.load(), showSetUp(body.problems)]);
}

/** @param {Followed} followed */
function showFailure({ error }) {
  const state = { error, isStarting: false, isLost: false, isStopping: false };
  byId('home').hidden = true;
  byId('scan').hidden = false;
  showScan(state, () => location.reload());
}

/**
 * Makes a call for a scan and shows what comes of it.
 * @param {ScanRequest} request
 */
function run(request) {
  current.abort();
  byId('home').hidden = true;
  byId('scan').hidden = false;
  byId('headline').focus();
  void follow(request, (follower) => startScan(request, follower));
}

/**
 * Shows a scan from its first state to its last.
 * @param {ScanRequest | undefined} request
 * @param {(follower: Follower) => Promise<Followed>} work
 */
async function follow(request, work) {
  const screen = new AbortController();
  current = screen;
  /** @type {ScreenState & { request?: ScanRequest | undefined }} */
  let state = { request, isStarting: true, isLost: false, isStopping: false };
  const show = (/** @type {Partial<typeof state>} */ change) => {
    if (screen.signal.aborted) return;
    state = { ...state, ...change };
    showScan(state, act);
  };
  /** @param {import('./scan/screen.js').Action} action */
  const act = ({ request: next, watch, stop }) => {
    if (next) run(next);
    if (watch) location.hash = `scan=${watch}`;
    if (!stop) return;
    show({ isStopping: true });
    void post(`scans/${stop}/stop`, {});
  };
  show({});
  const release = keepAwake();
  try {
    const { scan, error } = await work({
      signal: screen.signal,
      onConnection: (isLost) => show({ isLost }),
      onChange: (scan) => {
        nameAddress(scan.scan_id);
        show({ scan, isStarting: false });
      },
    });
    if (error?.error === 'unauthorized') {
      byId('scan').hidden = true;
      await askForToken();
      location.reload();
      return;
    }
    if (scan) nameAddress(scan.scan_id);
    show({ scan, error, isStarting: false, isLost: false, isStopping: false });
  } catch (error) {
    if (!screen.signal.aborted) throw error;
  } finally {
    release();
  }
}

/**
 * Gives the scan on the screen its address.
 * @param {string} id
 */
function nameAddress(id) {
  if (startedId === id) return;
  startedId = id;
  if (location.hash !== `#scan=${id}`) location.hash = `scan=${id}`;
}

/** Most services need no token: the form is loaded where it is needed. */
async function askForToken() {
  const form = await import('./views/token.js');
  await form.askForToken();
}

/**
 * Keeps the screen on until the function that it returns is called, where the browser can: only over https. A browser gives up the
 * lock when the page is hidden.
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
      /* The screen goes dark, and the page recovers. */
    }
  };
  document.addEventListener('visibilitychange', () => void lock(), {
    signal: ended.signal,
  });
  void lock();
  return () => ended.abort();
}
