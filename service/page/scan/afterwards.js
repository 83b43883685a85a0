import { get } from '../api.js';
import { pause } from '../awake.js';
import { followScan } from './follow.js';
import { isRunning, viewOf } from './scan-view.js';

/**
 * @typedef {import('./follow.js').Follower} Follower
 * @typedef {import('./screen.js').ScreenState} ScreenState
 */

/** Polling interval while the scanner is busy, in milliseconds. */
const BUSY_MS = 2000;
/** Polling interval of an ended scan, which may be continued elsewhere, in milliseconds. */
const ENDED_MS = 10_000;

/**
 * Refreshes an ended scan while it is shown: watches a busy scanner until it is free, and follows
 * the scan if it is continued elsewhere. Rejects when the page shows something else.
 * @param {() => ScreenState} shown
 * @param {Follower} follower
 * @param {(change: Partial<ScreenState>) => void} show
 */
export async function watchAfterwards(shown, follower, show) {
  const { error } = shown();
  if (error?.error === 'not_answered') await untilAnswered(follower);
  if (error?.error === 'scanner_busy') await watchScanner(error.busy_with, follower, show);
  while (shown().scan !== undefined) {
    await pause(ENDED_MS, follower.signal);
    const now = document.hidden ? undefined : await readAnew(shown, follower);
    if (!now) continue;
    show({ scan: now, error: undefined, refusal: undefined });
    if (!isRunning(now)) continue;
    const followed = await followScan(now.scan_id, follower);
    show({ ...followed, scan: followed.scan ?? shown().scan });
  }
}

/**
 * Rereads the scan. Returns undefined if it is unchanged or unreadable, or if it was edited during
 * the request, since the edit is newer.
 * @param {() => ScreenState} shown
 * @param {Follower} follower
 */
async function readAnew(shown, follower) {
  const { scan } = shown();
  if (!scan) return undefined;
  const { status, body } = await get(`scans/${scan.scan_id}`);
  follower.onConnection(status === 0);
  if (status !== 200 || shown().scan !== scan) return undefined;
  const now = viewOf(body);
  return JSON.stringify(now) === JSON.stringify(scan) ? undefined : now;
}

/** @param {Follower} follower */
async function untilAnswered(follower) {
  for (;;) {
    const { status } = await get('health');
    follower.signal.throwIfAborted();
    follower.onConnection(status === 0);
    if (status !== 0) return;
    await pause(BUSY_MS, follower.signal);
  }
}

/**
 * Follows the scan that is using the scanner until all its paper is fed.
 * @param {string | undefined} id
 * @param {Follower} follower
 * @param {(change: Partial<ScreenState>) => void} show
 */
async function watchScanner(id, follower, show) {
  for (;;) {
    const { status, body } = document.hidden
      ? { status: undefined, body: undefined }
      : await get(id === undefined ? 'scans?limit=10' : `scans/${id}`);
    follower.signal.throwIfAborted();
    if (status !== undefined) follower.onConnection(status === 0);
    if (status === 200) {
      /** @type {import('../types.d.ts').ScanSummary[]} */
      const scans = body.scans ?? [body];
      const other = scans.find(({ state }) => state === 'scanning');
      show({ other });
      if (!other) return show({ error: undefined, isFree: true });
    }
    await pause(BUSY_MS, follower.signal);
  }
}
