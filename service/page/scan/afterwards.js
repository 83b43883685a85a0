import { get } from '../api.js';
import { pause } from '../awake.js';
import { followScan } from './follow.js';
import { isRunning, viewOf } from './scan-view.js';

/**
 * @typedef {import('./follow.js').Follower} Follower
 * @typedef {import('./follow.js').Followed} Followed
 * @typedef {import('./screen.js').ScreenState} ScreenState
 */

/** How old the answer of a call gets that waits for the scanner. In milliseconds. */
const BUSY_MS = 2000;
/** How old a scan gets that has ended: somebody else may go on with it. In milliseconds. */
const ENDED_MS = 10_000;

/**
 * Keeps what came of a call true for as long as it is shown: when the scanner is free again, or when somebody else goes on with the
 * scan. Rejects when the page shows something else.
 * @param {Followed} ended
 * @param {Follower} follower
 * @param {(change: Partial<ScreenState>) => void} show
 */
export async function watchAfterwards({ scan, error }, follower, show) {
  if (error?.error === 'not_answered') await untilAnswered(follower);
  if (error?.error === 'scanner_busy') await watchScanner(error.busy_with, follower, show);
  while (scan !== undefined) {
    await pause(ENDED_MS, follower.signal);
    if (document.hidden) continue;
    const { status, body } = await get(`scans/${scan.scan_id}`);
    follower.onConnection(status === 0);
    if (status !== 200) continue;
    const now = viewOf(body);
    if (JSON.stringify(now) === JSON.stringify(scan)) continue;
    scan = now;
    show({ scan, error: undefined });
    if (!isRunning(scan)) continue;
    const followed = await followScan(scan.scan_id, follower);
    scan = followed.scan ?? scan;
    show({ ...followed, scan });
  }
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
 * Follows the scan that has the scanner until its paper is through.
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
