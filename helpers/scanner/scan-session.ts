import { startProgram, type Ended, type Program } from '../child-process.ts';
import type { Failure } from '../failure.ts';
import type { DeviceRequest, ScannedPage, StopReason } from '../ipc/messages.ts';
import { fromDisk, removeUnfinished, storageShortage } from './output-directory.ts';
import { scanEvents } from './scanimage-events.ts';
import {
  createHalting,
  createWatchdog,
  type Halt,
  type Halting,
  type ScanLimits,
} from './scan-halt.ts';
import { watchLink } from './saned-link.ts';
import { createScannedPages, type PagesEnd } from './scanned-pages.ts';
import { SCANIMAGE_MEMORY_BYTES } from './scanimage.ts';

/**
 * One scanimage from its start to its end:
 *
 *   opening ─▶ prompt n ─▶ room on disk? ─newline─▶ feeding page n ─▶ name of page n ─▶ page checked ─▶ prompt n+1 …
 *                  │ halted, max_pages, no room                                            │ feeder empty, error
 *                  └──▶ stdin closed ─▶ ended                                              └──▶ ended
 *
 * Whatever is reported, a prompt is answered only when the page before it is checked, and the watchdog runs all the time.
 */
export interface Session {
  readonly program: Program;
  readonly request: DeviceRequest;
  /** SANE's name of the device. */
  readonly device: string;
  /** Two pages a sheet: a sheet that is on its way is finished. */
  readonly duplex: boolean;
}

export interface SessionOptions {
  /** Aborted with a `StopReason`. */
  readonly signal: AbortSignal;
  readonly onPage: (page: ScannedPage) => void;
  readonly limits: ScanLimits;
  readonly freeBytes: (directory: string) => Promise<number>;
}

export interface SessionEnd extends PagesEnd {
  readonly ended: Ended;
  /** scanimage had reported the outcome and then hung, so that its exit code says nothing. */
  readonly hungAtEnd: boolean;
  readonly halt: Halt | undefined;
  /** The page after the last one was begun and not finished. */
  readonly leftHalf: boolean;
  /** Whether scanimage was ever let feed. */
  readonly fedAny: boolean;
  /** scanimage was let feed a page that did not become one. */
  readonly pageUnderWay: boolean;
}

/** Longest delay of a timer in Node, in milliseconds. */
const LONGEST_TIMER_MS = 2_147_483_647;

/** Runs the scan; resolves when scanimage is gone and every finished page is on disk, however it ended. */
export async function runSession(session: Session, options: SessionOptions): Promise<SessionEnd> {
  const { program, request, device, duplex } = session;
  const { signal, limits, onPage } = options;
  const { pageTimeoutMs } = limits;
  const { directory } = request;
  // Shorter than the watchdog's time, which is the scanner's.
  const diskMs = pageTimeoutMs / 2;
  const freeBytes = (of: string): Promise<number> => fromDisk(options.freeBytes(of), of, diskMs);
  // The watchdog ends a scanimage that hangs; this is the net under it, for one that never stops talking.
  const timeoutMs = Math.min(pageTimeoutMs * (request.max_pages + 2), LONGEST_TIMER_MS);
  const running = startProgram(program, { timeoutMs, memoryBytes: SCANIMAGE_MEMORY_BYTES });
  const halting = createHalting(running, limits);
  const onFailure = (failure: Failure): void => halting.halt({ kind: 'failed', failure });
  const pages = createScannedPages({ request, duplex, freeBytes, diskMs, onPage, onFailure });
  const watchdog = createWatchdog(limits, halting, pages.next);
  const link = watchLink(running.pid, device, (host) => halting.halt({ kind: 'cut_off', host }));
  const stop = (): void => halting.halt({ kind: 'stopped', reason: reasonOf(signal) });
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();

  let prompt: number | undefined;
  let asked = 0;
  let ended: Ended | undefined;
  try {
    for await (const event of scanEvents(running)) {
      watchdog.sign(event);
      if (event.kind === 'prompt') prompt = event.page;
      if (event.kind === 'page') await pages.take(event.filename);
      if (event.kind === 'ended') ended = event.ended;
      if (prompt !== undefined && (prompt <= pages.next() || halting.cause())) {
        if (await mayFeed(prompt, session, halting, freeBytes)) {
          running.stdin.write('\n');
          asked += 1;
        } else running.stdin.end();
        prompt = undefined;
      }
    }
  } finally {
    watchdog.over();
    link.over();
    halting.over();
    signal.removeEventListener('abort', stop);
    if (!ended) running.kill('SIGKILL');
    ended ??= await running.ended;
  }
  const end = await pages.finish();
  const halves = await fromDisk(removeUnfinished(directory), directory, diskMs).catch(
    (): number[] => [],
  );
  return {
    ...end,
    ended,
    hungAtEnd: watchdog.hungAtEnd(),
    halt: halting.cause(),
    leftHalf: halves.includes(pages.next()),
    fedAny: asked > 0,
    pageUnderWay: asked > pages.next() - request.first_page,
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
  const pages = duplex && !midSheet ? 2 : 1;
  const shortage = await storageShortage(page, { request, pages }, freeBytes);
  if (shortage) halting.halt({ kind: 'failed', failure: shortage });
  return shortage === undefined;
}

/** The reason that a signal was aborted with. */
export function reasonOf(signal: AbortSignal): StopReason {
  const reason: unknown = signal.reason;
  return reason === 'connection_lost' || reason === 'shutting_down' ? reason : 'cancelled';
}
