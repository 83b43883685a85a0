import { randomUUID } from 'node:crypto';
import { beforeAbort } from '../before-abort.ts';
import { Failure } from '../failure.ts';
import type { Log } from '../log.ts';
import {
  idOf,
  readAnswer,
  readFailure,
  readPage,
  REQUESTS,
  type Answers,
  type Asks,
  type RequestName,
} from './contract.ts';
import type { ReplyEvent, ScannedPage } from './messages.ts';
import { lostSheetsWarning, withScanFacts } from './scan-facts.ts';
import { connect } from './transport.ts';

export interface AskOptions {
  /** Aborting sends `cancel`. */
  readonly signal: AbortSignal;
  /** How long to wait for the request's end after an abort. Default: not at all. */
  readonly cancelWaitMs?: number;
  readonly deadlineMs?: number;
  readonly onPage?: (page: ScannedPage) => void;
}

/** Reconnects to the runtime. Every request ends, at worst with a `Failure`. */
export interface RequestClient {
  readonly ask: <Name extends RequestName>(
    name: Name,
    ask: Asks[Name],
    options: AskOptions,
  ) => Promise<Answers[Name]>;
  readonly isConnected: () => boolean;
  /** Fails every open request and stops reconnecting. */
  readonly close: () => void;
}

/** How long a request waits for a connection: the runtime may still be starting. */
const CONNECT_WAIT_MS = 2000;

/** Time until `accepted`, which precedes any work; same as for GET /ready (specification §8). */
const ACCEPT_MS = 3000;

/** Sheets that may be lost if the runtime goes silent: the current one and a prefetched one. */
const LOST_SHEETS = 2;

/** Requests wait for the connection, up to `CONNECT_WAIT_MS`. */
export function createRequestClient(socketPath: string, log: Log): RequestClient {
  const open = new Map<string, Pick<Pending<RequestName>, 'receive' | 'fail'>>();
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
        request.fail(unreachable('The connection to the scanner runtime was lost.'));
      }
    },
    onReply: (event, payload) => {
      const id = idOf(payload);
      const request = id === undefined ? undefined : open.get(id);
      if (request) request.receive(event, payload);
      else log.debug({ event, id }, 'dropped a message that belongs to no open request');
    },
  });

  return {
    ask: async (name, ask, options) => {
      await connectedWithin(CONNECT_WAIT_MS, up.promise, options.signal);
      // A request sent after the abort would never be cancelled.
      if (options.signal.aborted) throw abortFailure(options.signal);
      const id = randomUUID();
      const pending = begin(name, options, () => connection.send('cancel', { id }));
      open.set(id, pending);
      if (!connection.send(name, { id, ask })) {
        pending.fail(unreachable(NO_RUNTIME));
      }
      return pending.ended.finally(() => open.delete(id));
    },
    isConnected: () => connected,
    close: () => {
      closed = true;
      connection.close();
    },
  };
}

interface Pending<Name extends RequestName> {
  readonly ended: Promise<Answers[Name]>;
  readonly receive: (event: ReplyEvent, payload: unknown) => void;
  readonly fail: (error: unknown) => void;
}

/** Frames after the end of the request are ignored. */
function begin<Name extends RequestName>(
  name: Name,
  options: AskOptions,
  cancel: () => void,
): Pending<Name> {
  const { signal, cancelWaitMs = 0, deadlineMs = REQUESTS[name].deadlineMs, onPage } = options;
  const end = Promise.withResolvers<Answers[Name]>();
  let isAccepted = false;
  const pages: number[] = [];
  const fail = (error: unknown): void =>
    end.reject(name === 'scan' ? withPages(error, pages, isAccepted) : error);
  // Cancels, too: a stalled runtime could wake up and feed paper for a caller that has left.
  const giveUp = (what: string, ms: number): void => {
    cancel();
    fail(late(what, ms));
  };
  const accepting = setTimeout(() => giveUp('react', ACCEPT_MS), ACCEPT_MS);
  const timers = [accepting, setTimeout(() => giveUp('answer', deadlineMs), deadlineMs)];
  const onAbort = (): void => {
    cancel();
    const stopWaiting = (): void => fail(abortFailure(signal));
    if (cancelWaitMs === 0) stopWaiting();
    else timers.push(setTimeout(stopWaiting, cancelWaitMs));
  };
  signal.addEventListener('abort', onAbort, { once: true });
  const take: Readonly<Record<ReplyEvent, (payload: unknown) => void>> = {
    accepted: () => {
      isAccepted = true;
      clearTimeout(accepting);
    },
    page: (payload) => {
      const page = readPage(payload);
      pages.push(page.number);
      onPage?.(page);
    },
    result: (payload) => end.resolve(readAnswer(name, payload)),
    failed: (payload) => fail(readFailure(payload)),
  };
  return {
    ended: end.promise.finally(() => {
      for (const timer of timers) clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    }),
    receive: (event, payload) => {
      try {
        take[event](payload);
      } catch (error) {
        cancel();
        fail(error);
      }
    },
    fail,
  };
}

/** Adds the number of received pages to the error: they are complete even if the scan failed. */
function withPages(error: unknown, pages: readonly number[], isAccepted: boolean): unknown {
  const warnings = lostSheetsWarning(isAccepted ? LOST_SHEETS : 0, pages.at(-1));
  return withScanFacts(error, { page_count: pages.length, warnings });
}

async function connectedWithin(
  waitMs: number,
  up: Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const given = AbortSignal.any([signal, AbortSignal.timeout(waitMs)]);
  await beforeAbort(given, up, () => {
    throw signal.aborted ? abortFailure(signal) : unreachable(NO_RUNTIME);
  });
}

function abortFailure(signal: AbortSignal): Failure {
  const reason: unknown = signal.reason;
  if (reason instanceof Failure) return reason;
  const what = 'The request to the scanner runtime was stopped before the runtime had answered.';
  return new Failure('timeout', what, { remedy: 'Try again.', cause: reason });
}

function late(what: string, ms: number): Failure {
  return unreachable(`The scanner runtime did not ${what} within ${ms / 1000} s.`);
}

const NO_RUNTIME = 'The scanner runtime cannot be reached.';

function unreachable(what: string): Failure {
  const remedy =
    'Check that the scanner runtime is running and that both use the same SCANNER_SOCKET.';
  return new Failure('scanner_runtime_unreachable', what, { remedy });
}
