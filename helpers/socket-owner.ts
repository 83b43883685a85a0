import { once } from 'node:events';
import { connect } from 'node:net';
import { errorCode } from './error-code.ts';

/** The kernel accepts connections at once; this allows for a busy machine. In milliseconds. */
const PROBE_MS = 2000;

/** The socket file is missing, or its owner is dead. */
const DEAD: ReadonlySet<string | undefined> = new Set(['ECONNREFUSED', 'ENOENT']);

/** Undefined on success and on timeout. */
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

/** True if a process listens, or if that is uncertain. */
export async function hasLiveOwner(socketPath: string): Promise<boolean> {
  return !DEAD.has(await connectionError(socketPath));
}
