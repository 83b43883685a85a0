/**
 * Runs `work` until the phone wakes up or is online again: a connection from before is dead, often without anyone noticing.
 * Resolves with undefined then, and where `work` fails; throws only when `signal` is aborted.
 * @template Result
 * @param {AbortSignal} signal
 * @param {(signal: AbortSignal) => Promise<Result | undefined>} work
 * @returns {Promise<Result | undefined>}
 */
export async function untilAwake(signal, work) {
  const awake = new AbortController();
  const wake = () => document.visibilityState === 'visible' && awake.abort();
  const events = /** @type {const} */ (['pageshow', 'online']);
  document.addEventListener('visibilitychange', wake);
  for (const event of events) addEventListener(event, wake);
  try {
    return await work(AbortSignal.any([signal, awake.signal]));
  } catch {
    signal.throwIfAborted();
    return undefined;
  } finally {
    document.removeEventListener('visibilitychange', wake);
    for (const event of events) removeEventListener(event, wake);
  }
}

/**
 * Keeps the screen on until the function that it resolves with is called, where the browser can: only over https.
 * @returns {Promise<() => void>}
 */
export async function keepAwake() {
  try {
    const lock = await navigator.wakeLock.request('screen');
    return () => void lock.release();
  } catch {
    return () => {};
  }
}
