import { startProgram, type Ended, type Program } from '../child-process.ts';
import { Failure } from '../failure.ts';
import type { ScannedPage, ScanRequest, StopReason } from '../ipc/messages.ts';
import { diskFullMessage } from './page-check.ts';
import { pageBytes } from './page-size.ts';
import { removeUnfinished, RESERVE_BYTES } from './scan-directory.ts';
import { scanEvents, type ScanEvent } from './scan-events.ts';
import { createHalting, type Halt, type Halting } from './scan-halt.ts';
import { createScannedPages, type PagesEnd } from './scanned-pages.ts';

/**
 * One scanimage from its start to its end:
 *
 *   opening ─▶ prompt n ─▶ room on disk? ─newline─▶ feeding page n ─▶ name of page n ─▶ page checked ─▶ prompt n+1 …
 *                  │ halted, max_pages, no room                                            │ feeder empty, error
 *                  └──▶ stdin closed ─▶ ended                                              └──▶ ended
 *
 * Whatever is told, a prompt is answered only when the page before it is checked, and the watchdog runs all the time.
 */
export interface Session {
  readonly program: Program;
  readonly request: ScanRequest;
  /** Two pages a sheet: a sheet that is on its way is finished. */
  readonly duplex: boolean;
}

export interface SessionOptions {
  /** Aborted with a `StopReason`. */
  readonly signal: AbortSignal;
  readonly onPage: (page: ScannedPage) => void;
  /** Longest time without a sign of the scanner, in milliseconds. */
  readonly pageTimeoutMs: number;
  readonly freeBytes: (directory: string) => Promise<number>;
}

export interface SessionEnd extends PagesEnd {
  readonly ended: Ended;
  /** scanimage had told the outcome and then hung, so that its exit code says nothing. */
  readonly hungAtEnd: boolean;
  readonly halt: Halt | undefined;
  /** The page after the last one was begun and not finished. */
  readonly leftHalf: boolean;
}

/**
 * From the end of the batch to the exit of scanimage, which closes the device: sane-airscan gives its last request ten
 * seconds. Drivers with threads hang here now and then (the `test` backend of sane-backends 1.2.1 in 1 of 200 runs).
 */
const CLOSE_MS = 12_000;

/** Longest delay of a timer in Node, in milliseconds. */
const LONGEST_TIMER_MS = 2_147_483_647;

/** Runs the scan; resolves when scanimage is gone and every finished page is on disk, however it ended. */
export async function runSession(session: Session, options: SessionOptions): Promise<SessionEnd> {
  const { program, request, duplex } = session;
  const { signal, pageTimeoutMs, freeBytes, onPage } = options;
  // The watchdog ends a scanimage that hangs; this is the net under it, for one that never stops talking.
  const timeoutMs = Math.min(pageTimeoutMs * (request.max_pages + 2), LONGEST_TIMER_MS);
  const running = startProgram(program, { timeoutMs });
  const halting = createHalting(running);
  const onFailure = (failure: Failure): void => halting.halt({ kind: 'failed', failure });
  const pages = createScannedPages({ request, duplex, freeBytes, onPage, onFailure });
  const watchdog = createWatchdog(pageTimeoutMs, halting, pages.next);
  const stop = (): void => halting.halt({ kind: 'stopped', reason: reasonOf(signal) });
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();

  let prompt: number | undefined;
  let ended: Ended | undefined;
  try {
    for await (const event of scanEvents(running)) {
      watchdog.sign(event);
      if (event.kind === 'prompt') prompt = event.page;
      if (event.kind === 'page') await pages.take(event.filename);
      if (event.kind === 'ended') ended = event.ended;
      if (prompt !== undefined && (prompt <= pages.next() || halting.cause())) {
        if (await mayFeed(prompt, session, halting, freeBytes)) running.stdin.write('\n');
        else running.stdin.end();
        prompt = undefined;
      }
    }
  } finally {
    watchdog.over();
    halting.over();
    signal.removeEventListener('abort', stop);
    if (!ended) running.kill('SIGKILL');
    ended ??= await running.ended;
  }
  const end = await pages.finish();
  const halves = await removeUnfinished(request.directory);
  const leftHalf = halves.includes(pages.next());
  return { ...end, ended, hungAtEnd: watchdog.hungAtEnd(), halt: halting.cause(), leftHalf };
}

interface Watchdog {
  /** A sign of the scanner. */
  readonly sign: (event: ScanEvent) => void;
  readonly hungAtEnd: () => boolean;
  readonly over: () => void;
}

/** Ends a scanimage that says nothing for too long. */
function createWatchdog(pageTimeoutMs: number, halting: Halting, page: () => number): Watchdog {
  let hungAtEnd = false;
  let timer = setTimeout(() => halting.halt({ kind: 'hang', page: page() }), pageTimeoutMs);
  const endedBatch = (): void => {
    hungAtEnd = true;
    halting.kill();
  };
  return {
    sign: ({ kind }) => {
      timer.refresh();
      if (kind !== 'terminated') return;
      clearTimeout(timer);
      timer = setTimeout(endedBatch, Math.min(CLOSE_MS, pageTimeoutMs));
    },
    hungAtEnd: () => hungAtEnd,
    over: () => clearTimeout(timer),
  };
}

/** Whether the page that scanimage asks for is to be fed; halts the scan where it is not. */
async function mayFeed(
  page: number,
  { request, duplex }: Session,
  halting: Halting,
  freeBytes: (directory: string) => Promise<number>,
): Promise<boolean> {
  const done = page - request.first_page;
  const midSheet = duplex && done % 2 === 1;
  const cause = halting.cause();
  if (cause) return cause.kind === 'stopped' && midSheet;
  if (done >= request.max_pages) {
    halting.halt({ kind: 'max_pages' });
    return false;
  }
  const shortage = await storageShortage(page, { request, duplex: duplex && !midSheet }, freeBytes);
  if (shortage) halting.halt({ kind: 'failed', failure: shortage });
  return shortage === undefined;
}

/** The failure to tell when the next sheet does not fit on the disk with a reserve, before it is fed. */
export async function storageShortage(
  page: number,
  { request, duplex }: Pick<Session, 'request' | 'duplex'>,
  freeBytes: (directory: string) => Promise<number>,
): Promise<Failure | undefined> {
  const needed = pageBytes(request) * (duplex ? 2 : 1) + RESERVE_BYTES;
  const { directory } = request;
  try {
    const free = await freeBytes(directory);
    if (free >= needed) return undefined;
    const facts = { free_bytes: free, needed_bytes: needed };
    return new Failure('insufficient_storage', diskFullMessage(directory, page), { facts });
  } catch (cause) {
    const message = `The scan directory ${directory} cannot be used any more: check the output directory and its disk.`;
    return new Failure('scanner_error', message, { cause });
  }
}

/** The reason that a signal was aborted with. */
export function reasonOf(signal: AbortSignal): StopReason {
  const reason: unknown = signal.reason;
  return reason === 'connection_lost' || reason === 'shutting_down' ? reason : 'cancelled';
}
