import { connect } from 'node:net';
import { errorCode } from './error-code.ts';

/** The owner's kernel accepts at once; this is for a machine that is busy. In milliseconds. */
const PROBE_MS = 2000;

/** What the kernel says of a socket file whose owner is dead, or that is not there. */
const DEAD: ReadonlySet<string | undefined> = new Set(['ECONNREFUSED', 'ENOENT']);

/** Whether a process listens on the Unix socket at a path; in doubt it does. */
export async function hasLiveOwner(socketPath: string): Promise<boolean> {
  const socket = connect(socketPath);
  const { promise, resolve } = Promise.withResolvers<boolean>();
  socket.setTimeout(PROBE_MS, () => resolve(true));
  socket.once('connect', () => resolve(true));
  socket.once('error', (error) => resolve(!DEAD.has(errorCode(error))));
  try {
    return await promise;
  } finally {
    socket.destroy();
  }
}
