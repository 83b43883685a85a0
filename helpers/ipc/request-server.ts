import { Failure } from '../failure.ts';
import type { Log } from '../log.ts';
import { idOf, readAsk, REQUESTS, type Answers, type Asks, type RequestName } from './contract.ts';
import type { RequestEvent, ScannedPage, StopReason } from './messages.ts';
import { listen, type Peer } from './transport.ts';

export interface Call {
  /** The handler must still settle after an abort. */
  readonly signal: AbortSignal;
  readonly onPage: (page: ScannedPage) => void;
}

/** A handler throws `Failure` for expected errors. */
export type RequestHandlers = {
  readonly [Name in RequestName]: (ask: Asks[Name], call: Call) => Promise<Answers[Name]>;
};

/** Concurrent requests per connection. Health checks are not counted. */
export interface RequestLimits {
  /** Device queries, which run one at a time. */
  readonly question: number;
  /** One per scanner, plus callers that are about to learn that the scanner is busy. */
  readonly scan: number;
}

export const REQUEST_LIMITS: RequestLimits = { question: 8, scan: 64 };

interface OpenRequest {
  readonly takes: keyof RequestLimits | undefined;
  readonly stop: AbortController;
}

interface Context {
  readonly peer: Peer;
  readonly open: Map<string, OpenRequest>;
  readonly handlers: RequestHandlers;
  readonly limits: RequestLimits;
  readonly log: Log;
}

/**
 * Sends `accepted` at once, then the handler's outcome. An invalid request gets `failed` if it has
 * an id; otherwise it is dropped. Rejects if the socket is unavailable. `close` waits for open
 * requests but does not abort them.
 */
export async function serveRequests(
  socketPath: string,
  handlers: RequestHandlers,
  log: Log,
  limits = REQUEST_LIMITS,
): Promise<{ close: () => Promise<void> }> {
  const connections = new Map<Peer, Context>();
  const answering = new Set<Promise<void>>();
  const server = await listen(socketPath, {
    onRequest: (peer, event, payload) => {
      const context = connections.get(peer) ?? { peer, open: new Map(), handlers, limits, log };
      connections.set(peer, context);
      const answered = answer(event, payload, context);
      answering.add(answered);
      void answered.finally(() => answering.delete(answered));
    },
    onLost: (peer) => {
      for (const { stop } of connections.get(peer)?.open.values() ?? []) {
        stop.abort('connection_lost' satisfies StopReason);
      }
      connections.delete(peer);
    },
  });
  return {
    close: async () => {
      await Promise.all(answering);
      await server.close();
    },
  };
}

async function answer(event: RequestEvent, payload: unknown, context: Context): Promise<void> {
  const { peer, open, log, limits } = context;
  const id = idOf(payload);
  if (event === 'cancel') {
    open.get(id ?? '')?.stop.abort('cancelled' satisfies StopReason);
    return;
  }
  if (id === undefined || open.has(id)) {
    log.warn({ event, id }, 'dropped a request without an id of its own');
    return;
  }
  const { takes } = REQUESTS[event];
  const taken = [...open.values()].filter((request) => request.takes === takes).length;
  if (takes !== undefined && taken >= limits[takes]) {
    const what = 'The scanner runtime has too many requests open.';
    fail(id, new Failure('too_many_requests', what, { remedy: 'Try again later.' }), context);
    return;
  }
  const stop = new AbortController();
  open.set(id, { takes, stop });
  try {
    const result = await handle(event, payload, { ...context, id, stop });
    if (!peer.send('result', { id, result })) log.warn({ event, id }, 'the asker was gone');
  } catch (error) {
    fail(id, error, context);
  } finally {
    open.delete(id);
  }
}

async function handle<Name extends RequestName>(
  name: Name,
  payload: unknown,
  { id, peer, handlers, stop }: Context & { readonly id: string; readonly stop: AbortController },
): Promise<Answers[Name]> {
  const ask = readAsk(name, payload);
  peer.send('accepted', { id });
  const onPage = (page: ScannedPage): void => void peer.send('page', { id, page });
  return handlers[name](ask, { signal: stop.signal, onPage });
}

function fail(id: string, error: unknown, { peer, log }: Context): void {
  const expected = error instanceof Failure;
  if (!expected) log.error({ event: 'internal_error', err: error, id }, 'a request met a bug');
  const { code, what, remedy, facts } = expected
    ? error
    : new Failure('internal_error', 'Internal error of the scanner runtime.', {
        remedy: 'See its log.',
      });
  // JSON omits an undefined remedy.
  peer.send('failed', { id, failure: { code, what, remedy, facts } });
}
