import { spawn } from 'node:child_process';
import { SetUpError } from './set-up-error.mjs';

/** How long to wait before the person is informed. */
const SAY_WAITING_AFTER_MS = 1000;

/**
 * Waits until no other set-up works on this checkout, and makes others wait until `release` is called or this process ends. The
 * kernel's lock on `file` belongs to a `cat` that runs as long as its stdin is open, so that there are no stale locks.
 *
 * @param {string} file
 * @param {{ onWaiting: () => void, stopped: Promise<void> }} options `onWaiting` is called once if another set-up holds the
 *   lock; `stopped` ends the wait
 * @returns {Promise<{ release: () => void }>}
 */
export async function holdSetUpLock(file, { onWaiting, stopped }) {
  // In a session of its own, so that a Ctrl-C does not release the lock while npm is being stopped.
  const holder = spawn('flock', ['--exclusive', '--no-fork', file, 'cat'], {
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  });
  const waiting = setTimeout(onWaiting, SAY_WAITING_AFTER_MS);
  void stopped.then(() => holder.kill());
  try {
    await firstByte(holder);
  } catch (cause) {
    throw new SetUpError(`Cannot lock ${file} with flock of util-linux: ${String(cause)}`);
  } finally {
    clearTimeout(waiting);
  }
  return { release: () => holder.stdin.end() };
}

/**
 * Resolves when the lock is held: only then does `cat` run and return the byte that it is sent.
 *
 * @param {import('node:child_process').ChildProcessByStdio<import('node:stream').Writable, import('node:stream').Readable, null>} holder
 */
function firstByte(holder) {
  return new Promise((resolve, reject) => {
    holder.once('error', reject);
    holder.once('exit', (code, signal) => reject(new Error(`it ended with ${signal ?? code}`)));
    holder.stdout.once('data', resolve);
    // If it cannot be written to, it has ended, which is handled above.
    holder.stdin.on('error', () => {});
    holder.stdin.write('.');
  });
}
