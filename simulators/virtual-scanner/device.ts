import { EventEmitter, once } from 'node:events';
import type { AdfState, JobStatus } from './escl-documents.ts';
import { faultAtPage, mannerOf, type Fault, type Manner } from './faults.ts';
import { Feeder, type Paper } from './feeder.ts';
import { PageImages, type Look } from './page-images.ts';
import { ScanJob, type JobTiming } from './scan-job.ts';
import type { ScanSettings, TransferFormat } from './scan-settings.ts';

/** Times are those of `performance.now()`. */
export interface ScannerEvents {
  job: [{ id: string; settings: ScanSettings }];
  /** `fedAt` is the time on the feeder's own clock. */
  sheet: [{ sheet: number; front: string; fedAt: number }];
  /** A page was sent completely. `page` counts from 1 in its job. */
  page: [{ page: number; file: string | undefined; at: number }];
  empty: [];
  fault: [Fault];
  /** The client deleted its job, or the job was dropped since its client had disappeared. */
  closed: [{ id: string; by: 'client' | 'orphan' }];
  request: [{ method: string; path: string }];
}

export interface DeviceOptions extends JobTiming, Look {
  /** Backs are scanned upside down, as by some feeders. */
  readonly turnsBacks: boolean;
  /** Whether deleting a job discards the current page or still sends it. */
  readonly onDelete: 'abort' | 'deliver';
}

/** Running totals, for assertions. */
export interface Counts {
  sheetsFed: number;
  pagesSent: number;
  jobsOpened: number;
  jobsDeleted: number;
  jobsOrphaned: number;
}

export interface ScannerState extends Readonly<Counts> {
  readonly sheetsLeft: number;
  readonly adfState: AdfState;
  readonly scanning: boolean;
  readonly fault: Fault | null;
  readonly settings: ScanSettings | null;
  /** `METHOD /path` of every eSCL request, in order. */
  readonly requests: readonly string[];
}

export type PageAnswer =
  | { readonly kind: 'status'; readonly status: 404 | 409 }
  | { readonly kind: 'never' }
  | { readonly kind: 'drop' }
  | ImageAnswer;

export interface ImageAnswer {
  readonly kind: 'image';
  readonly image: Buffer;
  readonly type: TransferFormat;
  readonly manner: Manner;
  readonly sent: () => void;
}

/** The state of the feeder after a fault, and the HTTP status of its page. */
const STOPS: Partial<Record<Fault['kind'], { status: 404 | 409; adfState: AdfState }>> = {
  jam: { status: 404, adfState: 'ScannerAdfJam' },
  mispick: { status: 404, adfState: 'ScannerAdfMispick' },
  multipick: { status: 409, adfState: 'ScannerAdfMultipickDetected' },
  coverOpen: { status: 409, adfState: 'ScannerAdfDoorOpen' },
  emptyLate: { status: 404, adfState: 'ScannerAdfEmpty' },
};

const PAPER_FAULTS: readonly Fault['kind'][] = ['jam', 'mispick', 'multipick'];

const NOT_FOUND = { kind: 'status', status: 404 } as const;

/** The scanner behind the protocol: feeder, glass, one job at a time, and its faults. */
export class Device {
  readonly events = new EventEmitter<ScannerEvents>();
  readonly feeder = new Feeder();
  readonly counts: Counts = {
    sheetsFed: 0,
    pagesSent: 0,
    jobsOpened: 0,
    jobsDeleted: 0,
    jobsOrphaned: 0,
  };
  lastSettings: ScanSettings | undefined;

  readonly #options: DeviceOptions;
  readonly #images: PageImages;
  #fault: Fault | null = null;
  /** Resolves when the next fault is set, or `null`. */
  #faultSet = Promise.withResolvers<void>();
  #busyLeft = 0;
  #stopped: AdfState | undefined;
  #job: ScanJob | undefined;

  constructor(options: DeviceOptions) {
    this.#options = options;
    this.#images = new PageImages(options);
  }

  get fault(): Fault | null {
    return this.#fault;
  }

  /** Sets or clears the fault. Also clears the state that the previous one left, such as a jam. */
  setFault(fault: Fault | null): void {
    this.#fault = fault;
    this.#stopped = undefined;
    this.#busyLeft = fault?.kind === 'busy' ? (fault.times ?? Number.POSITIVE_INFINITY) : 0;
    this.#faultSet.resolve();
    this.#faultSet = Promise.withResolvers();
  }

  load(papers: readonly Paper[]): void {
    this.feeder.load(papers);
  }

  get adfState(): AdfState {
    if (this.#stopped) return this.#stopped;
    const fault = this.#fault;
    if (fault?.kind === 'coverOpen' && fault.atPage === undefined) return 'ScannerAdfDoorOpen';
    return this.feeder.isEmpty || fault?.kind === 'empty' ? 'ScannerAdfEmpty' : 'ScannerAdfLoaded';
  }

  get isScanning(): boolean {
    return this.#job !== undefined && !this.#job.done;
  }

  /** Age of the last job. Infinite if there was none. */
  get jobAgeMs(): number {
    return this.#job?.ageMs ?? Number.POSITIVE_INFINITY;
  }

  jobStatus(pathOf: (id: string) => string): JobStatus | undefined {
    return this.#job?.status(pathOf(this.#job.id));
  }

  /** Opens a job. Returns its id, or the HTTP status of the refusal. */
  openJob(settings: ScanSettings): string | 409 | 503 {
    this.lastSettings = settings;
    if (this.#busyLeft > 0) {
      this.#busyLeft -= 1;
      return 503;
    }
    if (this.isScanning) return 503;
    // The next attempt clears a misfeed. A person must clear a jam or close the cover.
    if (this.#stopped !== 'ScannerAdfJam' && this.#stopped !== 'ScannerAdfDoorOpen') {
      this.#stopped = undefined;
    }
    const ready = this.adfState === 'ScannerAdfLoaded' || this.#fault?.kind === 'emptyLate';
    if (settings.source !== 'Flatbed' && !ready) return 409;
    return this.#startJob(settings);
  }

  #startJob(settings: ScanSettings): string {
    if (this.#job) this.#close(this.#job, 'orphan');
    const job = new ScanJob(settings, this.#options);
    this.#job = job;
    this.counts.jobsOpened += 1;
    this.events.emit('job', { id: job.id, settings });
    this.#prepareNext(job);
    job.watch(() => this.dropJob());
    return job.id;
  }

  /** Returns false if there is no job with this id. */
  deleteJob(id: string): boolean {
    const job = this.#job;
    if (job?.id !== id) return false;
    this.counts.jobsDeleted += 1;
    this.#close(job, 'client');
    return true;
  }

  /** The response to a request for the next page. `gone` is aborted when the client disconnects. */
  async nextPage(id: string, gone: AbortSignal): Promise<PageAnswer> {
    const job = this.#job;
    if (!job || job.id !== id || job.done) return NOT_FOUND;
    job.askBegins();
    gone.addEventListener('abort', () => {
      job.askEnds();
      if (this.#job === job) job.watch(() => this.dropJob());
    });
    const fault = await this.#faultAfterWait(job, AbortSignal.any([gone, job.cancel.signal]));
    if (gone.aborted || job.cancel.signal.aborted) return NOT_FOUND;
    const stop = fault && this.#stopFor(job, fault);
    return stop ?? this.#scanPage(job, fault, gone);
  }

  /** The fault at the next page, after a `wait` is over. */
  async #faultAfterWait(job: ScanJob, over: AbortSignal): Promise<Fault | undefined> {
    for (;;) {
      const fault = this.#faultFor(job);
      if (fault) this.events.emit('fault', fault);
      if (fault?.kind !== 'wait' || over.aborted) return fault;
      await Promise.race([this.#faultSet.promise, once(over, 'abort')]);
    }
  }

  /** The fault at the next page. Without paper there are no paper faults. */
  #faultFor(job: ScanJob): Fault | undefined {
    const fault = faultAtPage(this.#fault, job.page + 1);
    if (!fault || !PAPER_FAULTS.includes(fault.kind)) return fault;
    const hasPaper = job.nextBack !== undefined || !this.feeder.isEmpty;
    return hasPaper && job.settings.source !== 'Flatbed' ? fault : undefined;
  }

  #stopFor(job: ScanJob, fault: Fault): PageAnswer | undefined {
    if (fault.kind === 'hang' && fault.where === 'before') return { kind: 'never' };
    if (fault.kind === 'drop' && fault.midBody !== true) return { kind: 'drop' };
    const stop = STOPS[fault.kind];
    if (!stop) return undefined;
    job.done = true;
    this.#stopped = stop.adfState;
    return { kind: 'status', status: stop.status };
  }

  async #scanPage(job: ScanJob, fault: Fault | undefined, gone: AbortSignal): Promise<PageAnswer> {
    const isBack = job.nextBack !== undefined;
    const side = this.#nextSide(job);
    if (side === undefined) {
      job.done = true;
      if (job.settings.source !== 'Flatbed') this.events.emit('empty');
      return NOT_FOUND;
    }
    const file = side ?? undefined;
    const { onDelete, turnsBacks } = this.#options;
    try {
      await job.sheetThrough(
        onDelete === 'abort' ? AbortSignal.any([gone, job.cancel.signal]) : gone,
      );
    } catch {
      return NOT_FOUND;
    }
    const image = await this.#images.get(file, job.settings, isBack && turnsBacks);
    this.#prepareNext(job);
    job.page += 1;
    const { page } = job;
    return {
      kind: 'image',
      type: job.settings.format,
      image,
      manner: mannerOf(fault),
      sent: () => this.#sent(job, page, file),
    };
  }

  /** The image file of the next side: `null` for a white one, `undefined` if there is none. */
  #nextSide(job: ScanJob): string | null | undefined {
    if (job.settings.source === 'Flatbed') {
      return job.page > 0 ? undefined : (this.feeder.glass ?? null);
    }
    const { nextBack } = job;
    job.nextBack = undefined;
    if (nextBack !== undefined) return nextBack;
    const duplex = job.settings.source === 'ADF Duplex';
    const sheet = this.feeder.feed(duplex);
    if (!sheet) return undefined;
    if (duplex) job.nextBack = sheet.back ?? null;
    this.counts.sheetsFed += 1;
    const fedAt = job.startSheet();
    this.events.emit('sheet', { sheet: this.counts.sheetsFed, front: sheet.front, fedAt });
    return sheet.front;
  }

  /** Renders the next page in advance, so that the feeder never waits for it. */
  #prepareNext(job: ScanJob): void {
    const { settings, nextBack } = job;
    const sheet = this.feeder.peek(settings.source === 'ADF Duplex');
    const file = settings.source === 'Flatbed' ? this.feeder.glass : (nextBack ?? sheet?.front);
    const turned = typeof nextBack === 'string' && this.#options.turnsBacks;
    if (file !== undefined) this.#images.prepare(file, settings, turned);
  }

  #sent(job: ScanJob, page: number, file: string | undefined): void {
    job.pagesSent += 1;
    this.counts.pagesSent += 1;
    this.events.emit('page', { page, file, at: performance.now() });
  }

  /** Drops the job, as the scanner does if its client disappears. */
  dropJob(): void {
    if (!this.#job) return;
    this.counts.jobsOrphaned += 1;
    this.#close(this.#job, 'orphan');
  }

  #close(job: ScanJob, by: 'client' | 'orphan'): void {
    job.close();
    this.#job = undefined;
    this.events.emit('closed', { id: job.id, by });
  }

  shutDown(): void {
    this.#job?.close();
    this.#job = undefined;
  }
}
