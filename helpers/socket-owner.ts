import { once } from 'node:events';
import { connect } from 'node:net';
import { errorCode } from './error-code.ts';

/** The owner's kernel accepts at once; this is for a machine that is busy. In milliseconds. */
const PROBE_MS = 2000;

/** What the kernel says of a socket file whose owner is dead, or that is not there. */
const DEAD: ReadonlySet<string | undefined> = new Set(['ECONNREFUSED', 'ENOENT']);

/** The code of the error that a connection to the Unix socket at a path ends with; undefined where there is none in time. */
export async function connectionError(socketPath: string): Promise<string | undefined> {
  const socket = connect(socketPath);
  const signal = AbortSignal.timeout(PROBE_MS);
  try {
    await once(socket, 'connect', { signal });
    return undefined;
  } catch (error) {
    return signal.aborted ? undefined : errorCode(error);
  } finally {
    socket.destroy();
  }
}

/** Whether a process listens on the Unix socket at a path; in doubt it does. */
export async function hasLiveOwner(socketPath: string): Promise<boolean> {
  return !DEAD.has(await connectionError(socketPath));
}
