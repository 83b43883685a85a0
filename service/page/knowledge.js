/**
 * What the page knows of the service. `live`: what is shown is so now. `stale`: it was so, and the service is being asked.
 * `offline`: the service was asked and did not answer. `asleep`: nobody looks, and nothing is asked.
 * @typedef {'live' | 'stale' | 'offline' | 'asleep'} Knowledge
 */

/**
 * `answered` and `unanswered`: what became of a question to the service. `left`: the page is hidden. `woken`: somebody looks at it
 * again, or the device has a network again.
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
 * What is known after a signal.
 * @param {Knowledge} known
 * @param {Signal} signal
 * @returns {Knowledge}
 */
export function afterSignal(known, signal) {
  return NEXT[known][signal] ?? known;
}
