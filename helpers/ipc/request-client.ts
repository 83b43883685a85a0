import { randomUUID } from 'node:crypto';
import { Failure } from '../failure.ts';
import type { Log } from '../log.ts';
import {
  abortFailure,
  PendingRequest,
  unreachable,
  type RequestOptions,
} from './pending-request.ts';
import type { ReplyEvent, RequestEvent } from './messages.ts';
import { idOf, readReply } from './schemas.ts';
import { connect } from './transport.ts';

/** A connection to the runtime that is made again whenever it is lost; every request ends, with a `Failure` if not well. */
export interface RequestClient {
  /** What `result` or `scanned` carried, unchecked but for its outer shape. */
  readonly request: (
    event: RequestEvent,
    body: object,
    options: RequestOptions,
  ) => Promise<unknown>;
  /** Whether there is a connection now; a runtime that is gone has none. */
  readonly isConnected: () => boolean;
  /** Fails every open request and stops connecting. */
  readonly close: () => void;
}

/** For a connection that is just being made: the runtime and the service start side by side. */
const CONNECT_WAIT_MS = 2000;

/** Connects in the background; requests wait up to `CONNECT_WAIT_MS` for the connection. */
export function createRequestClient(socketPath: string, log: Log): RequestClient {
  const open = new Map<string, PendingRequest>();
  let up = Promise.withResolvers<void>();
  let connected = false;
  let closed = false;
  const connection = connect(socketPath, {
    onConnect: () => {
      log.info({ event: 'runtime_connected', socketPath }, 'connected to the scanner runtime');
      connected = true;
      up.resolve();
    },
    onLost: () => {
      connected = false;
      up = Promise.withResolvers();
      if (!closed) log.warn({ event: 'runtime_lost', socketPath }, 'lost the scanner runtime');
      for (const request of open.values()) {
        request.settle({ error: unreachable('The connection to the scanner runtime was lost.') });
      }
    },
    onReply: (event, payload) => {
      const id = idOf(payload);
      const request = id === undefined ? undefined : open.get(id);
      if (request) deliver(event, payload, request);
      else log.debug({ event, id }, 'dropped a message that belongs to no open request');
    },
  });

  return {
    request: async (event, body, options) => {
      const { signal } = options;
      if (signal.aborted) throw abortFailure(signal);
      await connectedWithin(CONNECT_WAIT_MS, up.promise, signal);
      const id = randomUUID();
      const pending = new PendingRequest(options, () =>
        connection.send('cancel', { id: randomUUID(), request_id: id }),
      );
      open.set(id, pending);
      if (!connection.send(event, { id, ...body })) {
        pending.settle({ error: unreachable('The scanner runtime cannot be reached.') });
      }
      try {
        return await pending.ended;
      } finally {
        open.delete(id);
      }
    },
    isConnected: () => connected,
    close: () => {
      closed = true;
      connection.close();
    },
  };
}

function deliver(event: ReplyEvent, payload: unknown, request: PendingRequest): void {
  try {
    switch (event) {
      case 'accepted':
        readReply(event, payload);
        request.accepted();
        break;
      case 'page':
        request.page(readReply(event, payload).page);
        break;
      case 'result':
        request.settle({ result: readReply(event, payload).result });
        break;
      case 'scanned':
        request.settle({ result: readReply(event, payload).summary });
        break;
      case 'failed': {
        const { code, what, ...options } = readReply(event, payload).failure;
        request.settle({ error: new Failure(code, what, options) });
        break;
      }
    }
  } catch (error) {
    request.settle({ error });
  }
}

async function connectedWithin(
  waitMs: number,
  up: Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const given = Promise.withResolvers<never>();
  const late = (): void => given.reject(unreachable('The scanner runtime cannot be reached.'));
  const timer = setTimeout(late, waitMs);
  const aborted = (): void => given.reject(abortFailure(signal));
  signal.addEventListener('abort', aborted, { once: true });
  try {
    await Promise.race([up, given.promise]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', aborted);
  }
}
