import { Failure } from '../failure.ts';
import type { Log } from '../log.ts';
import type {
  DescribeRequest,
  ReplyEvent,
  RequestEvent,
  ScannedPage,
  ScanRequest,
  ScanSummary,
  StopReason,
} from './messages.ts';
import { idOf, readRequest, type Results } from './schemas.ts';
import { listen, type Peer } from './transport.ts';

/**
 * What the runtime does for each request; a cancel is carried out here. `signal` is aborted with a `StopReason` when the request is cancelled or its
 * connection is lost; the handler still ends by itself. `Failure` is an expected end, anything else thrown is a bug.
 */
export interface RequestHandlers {
  readonly health: (signal: AbortSignal) => Promise<Results['health']>;
  readonly list_devices: (signal: AbortSignal) => Promise<Results['list_devices']>;
  readonly describe_device: (
    request: DescribeRequest,
    signal: AbortSignal,
  ) => Promise<Results['describe_device']>;
  /** Checks a request as its scan would, without feeding paper. */
  readonly check_scan: (
    request: ScanRequest,
    signal: AbortSignal,
  ) => Promise<Results['check_scan']>;
  readonly scan: (request: ScanRequest, options: ScanOptions) => Promise<ScanSummary>;
}

export interface ScanOptions {
  readonly signal: AbortSignal;
  readonly onPage: (page: ScannedPage) => void;
}

/** How many requests may be open at once on one connection. Health and cancel always are answered, and take no place. */
export interface RequestLimits {
  /** Looks at devices, which run one at a time. */
  readonly questions: number;
  /** Each scanner takes one, and so does every caller until it is told that the scanner is in use, which a busy machine does late. */
  readonly scans: number;
}

export const REQUEST_LIMITS: RequestLimits = { questions: 8, scans: 64 };

const LIMIT_OF: Readonly<Record<RequestEvent, keyof RequestLimits | undefined>> = {
  health: undefined,
  cancel: undefined,
  list_devices: 'questions',
  describe_device: 'questions',
  check_scan: 'questions',
  scan: 'scans',
};

interface OpenRequest {
  readonly limit: keyof RequestLimits | undefined;
  readonly stop: AbortController;
}

type OpenRequests = Map<string, OpenRequest>;

/**
 * Answers requests at `socketPath`: `accepted` at once, then what the handler makes of it. Wrong requests are answered
 * with `failed` where they carry an id, and dropped where they do not. Rejects when the socket cannot be had.
 * `close` waits for the open requests, which the handlers have to end.
 */
export async function serveRequests(
  socketPath: string,
  handlers: RequestHandlers,
  log: Log,
  limits = REQUEST_LIMITS,
): Promise<{ close: () => Promise<void> }> {
  const connections = new Map<Peer, OpenRequests>();
  const answering = new Set<Promise<void>>();
  const server = await listen(socketPath, {
    onRequest: (peer, event, payload) => {
      const open: OpenRequests = connections.get(peer) ?? new Map();
      connections.set(peer, open);
      const answered = answer(event, payload, { peer, open, handlers, limits, log });
      answering.add(answered);
      void answered.finally(() => answering.delete(answered));
    },
    onLost: (peer) => {
      for (const { stop } of connections.get(peer)?.values() ?? []) {
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

interface Context {
  readonly peer: Peer;
  readonly open: OpenRequests;
  readonly handlers: RequestHandlers;
  readonly limits: RequestLimits;
  readonly log: Log;
}

/** Never rejects: what a handler throws goes to the asker. */
async function answer(event: RequestEvent, payload: unknown, context: Context): Promise<void> {
  const { peer, open, log } = context;
  const id = idOf(payload);
  if (id === undefined || open.has(id)) {
    log.warn({ event, id }, 'dropped a request without an id of its own');
    return;
  }
  const limit = LIMIT_OF[event];
  if (limit !== undefined && count(open, limit) >= context.limits[limit]) {
    const message = 'The scanner runtime has too many requests open. Try again later.';
    fail(id, new Failure('too_many_requests', message), context);
    return;
  }
  const request = new AbortController();
  open.set(id, { limit, stop: request });
  try {
    const [reply, body] = await dispatch(event, payload, { ...context, id, request });
    if (!peer.send(reply, { id, ...body })) log.warn({ event, id }, 'the asker was gone');
  } catch (error) {
    fail(id, error, context);
  } finally {
    open.delete(id);
  }
}

function count(open: OpenRequests, limit: keyof RequestLimits): number {
  return [...open.values()].filter((request) => request.limit === limit).length;
}

interface RequestContext extends Context {
  readonly id: string;
  readonly request: AbortController;
}

async function dispatch(
  event: RequestEvent,
  payload: unknown,
  context: RequestContext,
): Promise<[ReplyEvent, object]> {
  const { peer, id, open, handlers, request } = context;
  const { signal } = request;
  const accept = (): boolean => peer.send('accepted', { id });
  switch (event) {
    case 'health': {
      readRequest(event, payload);
      accept();
      return ['result', { result: await handlers.health(signal) }];
    }
    case 'list_devices': {
      readRequest(event, payload);
      accept();
      return ['result', { result: await handlers.list_devices(signal) }];
    }
    case 'describe_device': {
      const { device, source } = readRequest(event, payload);
      accept();
      return ['result', { result: await handlers.describe_device({ device, source }, signal) }];
    }
    case 'check_scan': {
      const check = readRequest(event, payload).request;
      accept();
      return ['result', { result: await handlers.check_scan(check, signal) }];
    }
    case 'scan': {
      const scan = readRequest(event, payload).request;
      accept();
      const onPage = (page: ScannedPage): void => void peer.send('page', { id, page });
      return ['scanned', { summary: await handlers.scan(scan, { signal, onPage }) }];
    }
    case 'cancel': {
      const target = open.get(readRequest(event, payload).request_id);
      accept();
      target?.stop.abort('cancelled' satisfies StopReason);
      return [
        'result',
        { result: { cancelled: target !== undefined } satisfies Results['cancel'] },
      ];
    }
  }
}

function fail(id: string, error: unknown, { peer, log }: Context): void {
  const expected = error instanceof Failure;
  if (!expected) log.error({ event: 'internal_error', err: error, id }, 'a request met a bug');
  const { code, what, remedy, facts } = expected
    ? error
    : new Failure('internal_error', 'Internal error of the scanner runtime.', {
        remedy: 'See its log.',
      });
  // JSON leaves a remedy out that is undefined.
  peer.send('failed', { id, failure: { code, what, remedy, facts } });
}
