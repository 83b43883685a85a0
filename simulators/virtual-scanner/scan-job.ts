import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { ScanSettings } from './scan-settings.ts';
import type { JobStatus } from './escl-documents.ts';

const MS_PER_MINUTE = 60_000;

export interface JobTiming {
  /** Sheets a minute; as fast as it is asked when left out. */
  readonly pagesPerMinute: number | undefined;
  /** A job that nobody asks for anything is dropped after this time, in milliseconds. */
  readonly orphanAfterMs: number;
}

/** One scan job: its settings, its clock, and how far it came. */
export class ScanJob {
  readonly id = randomUUID();
  readonly settings: ScanSettings;
  /** Aborted when the client deletes the job. */
  readonly cancel = new AbortController();
  /** The page that was taken last, from 1. */
  page = 0;
  /** Pages handed over in full. */
  pagesSent = 0;
  /** No more pages come: the feeder ran empty, or something stopped it. */
  done = false;
  /** Image file of the back that comes next; `null` when it is white. */
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

  status(path: string): JobStatus {
    const ageSeconds = Math.round((performance.now() - this.#openedAt) / 1000);
    const { id, pagesSent, done } = this;
    return { id, path, ageSeconds, pagesSent, done };
  }

  /**
   * Starts the clock of the next sheet and answers its time of feed. The feeder runs on its own: when the client asks late,
   * one sheet has been fed ahead, so that the pace is kept as long as the client is no later than one sheet.
   */
  startSheet(): number {
    const now = performance.now();
    const earliest = this.#fedAt === undefined ? now : this.#fedAt + this.#sheetMs;
    this.#fedAt = Math.max(earliest, now - this.#sheetMs);
    return this.#fedAt;
  }

  /** Resolves when the sheet has come through, rejects when `signal` is aborted before. */
  async sheetThrough(signal: AbortSignal): Promise<void> {
    const wait = (this.#fedAt ?? 0) + this.#sheetMs - performance.now();
    signal.throwIfAborted();
    if (wait > 0) await delay(wait, undefined, { signal });
  }

  /** Calls `drop` when nothing is asked for too long from now on. */
  watch(drop: () => void): void {
    clearTimeout(this.#orphanTimer);
    if (this.#asking > 0) return;
    this.#orphanTimer = setTimeout(drop, this.#orphanAfterMs);
    this.#orphanTimer.unref();
  }

  /** A request for a page begins: nobody is gone while one is open. */
  askBegins(): void {
    this.#asking += 1;
    clearTimeout(this.#orphanTimer);
  }

  askEnds(): void {
    this.#asking -= 1;
  }

  /** Stops the clocks. */
  close(): void {
    this.done = true;
    clearTimeout(this.#orphanTimer);
    this.cancel.abort();
  }
}
