import { spawn } from 'node:child_process';
import { SetUpError } from './set-up-error.mjs';

/** After this wait it is worth telling the person why nothing moves. */
const SAY_WAITING_AFTER_MS = 1000;

/**
 * Waits until no other set-up works on this checkout, and keeps others waiting until `release` is called or this process
 * ends, however it ends: the kernel's lock on `file` belongs to a `cat` that lives as long as its stdin is open. That is
 * why there is no stale lock to recognise.
 *
 * @param {string} file
 * @param {{ onWaiting: () => void, stopped: Promise<void> }} options `onWaiting` is called once when another set-up holds the
 *   lock; `stopped` ends the wait
 * @returns {Promise<{ release: () => void }>}
 */
export async function holdSetUpLock(file, { onWaiting, stopped }) {
  // A session of its own: a Ctrl-C at the terminal must not let go of the lock while npm is still being stopped.
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
 * `cat` runs, and repeats the byte it is sent, only once the lock is held.
 *
 * @param {import('node:child_process').ChildProcessByStdio<import('node:stream').Writable, import('node:stream').Readable, null>} holder
 */
function firstByte(holder) {
  return new Promise((resolve, reject) => {
    holder.once('error', reject);
    holder.once('exit', (code, signal) => reject(new Error(`it ended with ${signal ?? code}`)));
    holder.stdout.once('data', resolve);
    // Ends first, as above, where it cannot be written to.
    holder.stdin.on('error', () => {});
    holder.stdin.write('.');
  });
}
