import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { ScanSettings } from './scan-settings.ts';
import type { JobStatus } from './escl-documents.ts';

const MS_PER_MINUTE = 60_000;

/**
 * The orphan timeout consists of this many waits. If the process is suspended, only one of them
 * expires before it reads the requests that arrived.
 */
const ORPHAN_LOOKS = 4;

export interface JobTiming {
  /** Sheets per minute. Undefined: as fast as pages are requested. */
  readonly pagesPerMinute: number | undefined;
  /** A job without requests is dropped after this time, in milliseconds. */
  readonly orphanAfterMs: number;
}

export class ScanJob {
  readonly id = randomUUID();
  readonly settings: ScanSettings;
  /** Aborted when the client deletes the job. */
  readonly cancel = new AbortController();
  page = 0;
  pagesSent = 0;
  /** No more pages: the feeder is empty or was stopped. */
  done = false;
  /** Image file of the back that comes next; `null` if it is white. */
  nextBack: string | null | undefined;

  readonly #sheetMs: number;
  readonly #orphanAfterMs: number;
  readonly #openedAt = performance.now();
  #fedAt: number | undefined;
  #asking = 0;
  #orphanTimer: NodeJS.Timeout | undefined;

  constructor(settings: ScanSettings, timing: JobTiming) {
    this.settings = settings;
    this.#sheetMs = MS_PER_MINUTE / (timing.pagesPerMinute ?? Number.POSITIVE_INFINITY);
    this.#orphanAfterMs = timing.orphanAfterMs;
  }

  get ageMs(): number {
    return performance.now() - this.#openedAt;
  }

  status(path: string): JobStatus {
    const ageSeconds = Math.round(this.ageMs / 1000);
    const { id, pagesSent, done } = this;
    return { id, path, ageSeconds, pagesSent, done };
  }

  /**
   * Starts the clock of the next sheet and returns the time when it was fed. The feeder is up to
   * one sheet ahead of a slow client, and so keeps its pace.
   */
  startSheet(): number {
    const now = performance.now();
    const earliest = this.#fedAt === undefined ? now : this.#fedAt + this.#sheetMs;
    this.#fedAt = Math.max(earliest, now - this.#sheetMs);
    return this.#fedAt;
  }

  /** Resolves when the sheet has passed. Rejects if `signal` is aborted first. */
  async sheetThrough(signal: AbortSignal): Promise<void> {
    const wait = (this.#fedAt ?? 0) + this.#sheetMs - performance.now();
    signal.throwIfAborted();
    if (wait > 0) await delay(wait, undefined, { signal });
  }

  /** Calls `drop` if there are no requests for too long. */
  watch(drop: () => void): void {
    clearInterval(this.#orphanTimer);
    if (this.#asking > 0) return;
    let looks = 0;
    const look = (): void => {
      looks += 1;
      if (looks === ORPHAN_LOOKS) drop();
    };
    this.#orphanTimer = setInterval(look, this.#orphanAfterMs / ORPHAN_LOOKS);
    this.#orphanTimer.unref();
  }

  /** The client is present as long as a request is open. */
  askBegins(): void {
    this.#asking += 1;
    clearInterval(this.#orphanTimer);
  }

  askEnds(): void {
    this.#asking -= 1;
  }

  close(): void {
    this.done = true;
    clearInterval(this.#orphanTimer);
    this.cancel.abort();
  }
}
