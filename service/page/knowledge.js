/**
 * How current the page is. `live`: up to date. `stale`: being reloaded. `offline`: the service did
 * not answer. `asleep`: hidden, so nothing is requested.
 * @typedef {'live' | 'stale' | 'offline' | 'asleep'} Knowledge
 */

/**
 * `answered`, `unanswered`: the result of a request. `left`: the page was hidden. `woken`: the page
 * is visible again, or the network is back.
 * @typedef {'answered' | 'unanswered' | 'left' | 'woken'} Signal
 */

/** @type {Record<Knowledge, Partial<Record<Signal, Knowledge>>>} */
const NEXT = {
  live: { unanswered: 'offline', left: 'asleep', woken: 'stale' },
  stale: { answered: 'live', unanswered: 'offline', left: 'asleep' },
  offline: { answered: 'live', left: 'asleep' },
  asleep: { woken: 'stale' },
};

/**
 * @param {Knowledge} known
 * @param {Signal} signal
 * @returns {Knowledge}
 */
export function afterSignal(known, signal) {
  return NEXT[known][signal] ?? known;
}
