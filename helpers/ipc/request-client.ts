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
  /** Aborting it sends a cancel. */
  readonly signal: AbortSignal;
  /** From the abort to giving up waiting for the end, in milliseconds; left out, it is given up at once. */
  readonly cancelWaitMs?: number;
  /** The whole request must end within this time, in milliseconds; left out, that of the contract. */
  readonly deadlineMs?: number;
  readonly onPage?: (page: ScannedPage) => void;
}

/** A connection to the runtime that is made again whenever it is lost; every request ends, with a `Failure` if not well. */
export interface RequestClient {
  readonly ask: <Name extends RequestName>(
    name: Name,
    ask: Asks[Name],
    options: AskOptions,
  ) => Promise<Answers[Name]>;
  /** Whether there is a connection now; a runtime that is gone has none. */
  readonly isConnected: () => boolean;
  /** Fails every open request and stops connecting. */
  readonly close: () => void;
}

/** For a connection that is just being made: the runtime and the service start side by side. */
const CONNECT_WAIT_MS = 2000;

/**
 * From a request to `accepted`, which the runtime sends before it does anything. Not shorter: GET /ready has the runtime answer its
 * health check within three seconds (docs/specification.md §8).
 */
const ACCEPT_MS = 3000;

/** Most sheets that are lost with a runtime that is silent: the one under way, and one that its driver has asked for ahead. */
const LOST_SHEETS = 2;

/** Connects in the background; requests wait up to `CONNECT_WAIT_MS` for the connection. */
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
      // Nothing would cancel it: the runtime would work on it until the end.
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

/** One request from its sending to its end; the first end counts. */
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
  // A runtime that stalls works on the request once it goes on, and would feed paper that nobody waits for.
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

/** A failure with the pages that came: they are finished, however the scan ended that says no more. */
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

/** The reason given to the signal where it is a `Failure`, else a timeout: that is what stops requests. */
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

/** The runtime is not there, or does not speak. */
function unreachable(what: string): Failure {
  const remedy =
    'Check that the scanner runtime is running and that both use the same SCANNER_SOCKET.';
  return new Failure('scanner_runtime_unreachable', what, { remedy });
}
