import { Failure } from '../failure.ts';
import type { ScannedPage } from './messages.ts';

export interface RequestOptions {
  /** The whole request must end within this time, in milliseconds. */
  readonly deadlineMs: number;
  /** Aborting it sends a cancel. */
  readonly signal: AbortSignal;
  /** From the abort to giving up waiting for the runtime's last word, in milliseconds; 0 is at once. */
  readonly cancelWaitMs: number;
  readonly onPage?: (page: ScannedPage) => void;
}

/** From a request to `accepted`, which the runtime sends before it does anything. */
const ACCEPT_MS = 2000;

type Settled = { readonly answer: unknown } | { readonly error: unknown };

/** One request from its sending to its end; the first end counts. */
export class PendingRequest {
  readonly ended: Promise<unknown>;
  readonly #result = Promise.withResolvers<unknown>();
  readonly #timers: NodeJS.Timeout[];
  readonly #options: RequestOptions;
  readonly #cancel: () => void;
  readonly #onAbort = (): void => this.#aborted();
  #accept: NodeJS.Timeout;
  #pageCount = 0;

  constructor(options: RequestOptions, cancel: () => void) {
    this.#options = options;
    this.#cancel = cancel;
    this.ended = this.#result.promise;
    const silent = (): void =>
      this.settle({ error: unreachable('The scanner runtime is silent.') });
    this.#accept = setTimeout(silent, ACCEPT_MS);
    this.#timers = [this.#accept, setTimeout(() => this.#tooLate(), options.deadlineMs)];
    options.signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  accepted(): void {
    clearTimeout(this.#accept);
  }

  page(page: ScannedPage): void {
    this.#pageCount += 1;
    try {
      this.#options.onPage?.(page);
    } catch (error) {
      this.#cancel();
      this.settle({ error });
    }
  }

  settle(end: Settled): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#options.signal.removeEventListener('abort', this.#onAbort);
    if ('answer' in end) this.#result.resolve(end.answer);
    else this.#result.reject(this.#counted(end.error));
  }

  #aborted(): void {
    this.#cancel();
    const giveUp = (): void => this.settle({ error: abortFailure(this.#options.signal) });
    if (this.#options.cancelWaitMs === 0) giveUp();
    else this.#timers.push(setTimeout(giveUp, this.#options.cancelWaitMs));
  }

  #tooLate(): void {
    this.#cancel();
    const { deadlineMs } = this.#options;
    this.settle({
      error: unreachable(`The scanner runtime did not answer within ${deadlineMs / 1000} s.`),
    });
  }

  /** Pages that came are finished, however their scan ends. */
  #counted(error: unknown): unknown {
    if (!this.#options.onPage || !(error instanceof Failure) || 'page_count' in error.facts) {
      return error;
    }
    const facts = { ...error.facts, page_count: this.#pageCount, warnings: [] };
    return new Failure(error.code, error.message, { facts, cause: error.cause });
  }
}

/** The reason given to the signal where it is a `Failure`, else a timeout: that is what ends requests. */
export function abortFailure(signal: AbortSignal): Failure {
  const reason: unknown = signal.reason;
  if (reason instanceof Failure) return reason;
  const message = 'The request to the scanner runtime was ended before it was answered.';
  return new Failure('timeout', message, { cause: reason });
}

/** The runtime is not there, or does not speak. */
export function unreachable(what: string): Failure {
  const advice =
    'See that the scanner runtime is running and that both use the same SCANNER_SOCKET.';
  return new Failure('scanner_runtime_unreachable', `${what} ${advice}`);
}
