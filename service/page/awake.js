import { afterSignal } from './knowledge.js';

/**
 * @typedef {import('./knowledge.js').Knowledge} Knowledge
 * @typedef {import('./knowledge.js').Signal} Signal
 */

/** Fired on the window when the shown data may be outdated, so that it is reloaded immediately. */
export const WOKEN = 'scan-page-woken';

/**
 * Tracks whether the shown data is current: phones freeze pages, and connections die, unnoticed.
 * @param {(known: Knowledge) => void} onChange
 * @returns {{ known: () => Knowledge, signal: (signal: Signal) => void }}
 */
export function createKnowledge(onChange) {
  /** @type {Knowledge} */
  let known = 'stale';

  /** @param {Signal} signal */
  function signal(signal) {
    const before = known;
    known = afterSignal(known, signal);
    if (known !== before) onChange(known);
    if (signal === 'woken') dispatchEvent(new Event(WOKEN));
  }

  document.addEventListener('visibilitychange', () => {
    signal(document.visibilityState === 'visible' ? 'woken' : 'left');
  });
  addEventListener('pageshow', ({ persisted }) => persisted && signal('woken'));
  addEventListener('online', () => signal('woken'));
  /* If the window lost only the focus, polling went on and the page is still live. */
  addEventListener('focus', () => known !== 'live' && signal('woken'));
  addEventListener('offline', () => {
    signal('unanswered');
    /* Aborts the open requests, which cannot be answered offline. */
    dispatchEvent(new Event(WOKEN));
  });
  return { known: () => known, signal };
}

/**
 * Resolves after `ms`, or when the page is visible again. Rejects if `signal` is aborted.
 * @param {number} ms
 * @param {AbortSignal} signal
 * @returns {Promise<void>}
 */
export function pause(ms, signal) {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const over = new AbortController();
    const end = (/** @type {() => void} */ settle) => {
      clearTimeout(timer);
      over.abort();
      settle();
    };
    const timer = setTimeout(() => end(resolve), ms);
    addEventListener(WOKEN, () => end(resolve), { signal: over.signal });
    signal.addEventListener('abort', () => end(() => reject(signal.reason)), {
      signal: over.signal,
    });
  });
}
