import { Failure } from '../failure.ts';
import type { ScannedPage } from './messages.ts';
import { lostSheetsWarning, withScanFacts } from './scan-facts.ts';

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

/** Sheets that a runtime of which nothing more is heard may have fed: the one under way and one that its driver asked for ahead. */
const LOST_SHEETS = 2;

type Settled = { readonly result: unknown } | { readonly error: unknown };

/** One request from its sending to its end; the first end counts. */
export class PendingRequest {
  readonly ended: Promise<unknown>;
  readonly #result = Promise.withResolvers<unknown>();
  readonly #timers: NodeJS.Timeout[];
  readonly #options: RequestOptions;
  readonly #cancel: () => void;
  readonly #onAbort = (): void => this.#aborted();
  #accept: NodeJS.Timeout;
  #isAccepted = false;
  #pageCount = 0;

  constructor(options: RequestOptions, cancel: () => void) {
    this.#options = options;
    this.#cancel = cancel;
    this.ended = this.#result.promise;
    const silent = `The scanner runtime did not react within ${ACCEPT_MS / 1000} s.`;
    this.#accept = setTimeout(() => this.settle({ error: unreachable(silent) }), ACCEPT_MS);
    this.#timers = [this.#accept, setTimeout(() => this.#tooLate(), options.deadlineMs)];
    options.signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  accepted(): void {
    this.#isAccepted = true;
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
    if ('result' in end) this.#result.resolve(end.result);
    else this.#result.reject(this.#withFacts(end.error));
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

  /** What is known of a scan whose runtime does not say how it ended: the pages that came are finished. */
  #withFacts(error: unknown): unknown {
    if (!this.#options.onPage) return error;
    const warnings = lostSheetsWarning(this.#isAccepted ? LOST_SHEETS : 0);
    return withScanFacts(error, { page_count: this.#pageCount, warnings });
  }
}

/** The reason given to the signal where it is a `Failure`, else a timeout: that is what stops requests. */
export function abortFailure(signal: AbortSignal): Failure {
  const reason: unknown = signal.reason;
  if (reason instanceof Failure) return reason;
  const what = 'The request to the scanner runtime was stopped before the runtime had answered.';
  return new Failure('timeout', what, { remedy: 'Try again.', cause: reason });
}

/** The runtime is not there, or does not speak. */
export function unreachable(what: string): Failure {
  const remedy =
    'Check that the scanner runtime is running and that both use the same SCANNER_SOCKET.';
  return new Failure('scanner_runtime_unreachable', what, { remedy });
}
