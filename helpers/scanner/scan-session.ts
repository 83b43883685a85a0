import { startProgram, type Ended, type Program } from '../child-process.ts';
import type { Failure } from '../failure.ts';
import type { DeviceRequest, ScannedPage, StopReason } from '../ipc/messages.ts';
import { fromDisk, removeUnfinished, storageShortage } from './output-directory.ts';
import { scanEvents } from './scanimage-events.ts';
import {
  createScanStopper,
  createWatchdog,
  type Halt,
  type ScanStopper,
  type ScanLimits,
} from './scan-halt.ts';
import { watchLink } from './saned-link.ts';
import { createScannedPages, type PagesEnd } from './scanned-pages.ts';
import { SCANIMAGE_MEMORY_BYTES } from './scanimage.ts';

/**
 * Runs one scanimage from start to end:
 *
 *   opening ─▶ prompt n ─▶ disk space? ─newline─▶ feeding page n ─▶ name of n ─▶ check ─▶ prompt n+1
 *                  │ halted, max_pages, disk full                       │ feeder empty, error
 *                  └──▶ stdin closed ─▶ ended                           └──▶ ended
 *
 * A prompt is answered only after the previous page was checked. The watchdog runs throughout.
 */
export interface Session {
  readonly program: Program;
  readonly request: DeviceRequest;
  readonly device: string;
  /** Two pages per sheet. After a stop, the second side is still scanned. */
  readonly duplex: boolean;
}

export interface SessionOptions {
  readonly signal: AbortSignal;
  readonly onPage: (page: ScannedPage) => void;
  readonly limits: ScanLimits;
  readonly freeBytes: (directory: string) => Promise<number>;
}

export interface SessionEnd extends PagesEnd {
  readonly ended: Ended;
  /** scanimage hung after reporting its outcome, so its exit code means nothing. */
  readonly hungAtEnd: boolean;
  readonly halt: Halt | undefined;
  /** An incomplete page follows the last complete one. */
  readonly leftHalf: boolean;
  /** True if a page was requested from the feeder. */
  readonly fedAny: boolean;
  /** True if the last requested page was not completed. */
  readonly pageUnderWay: boolean;
}

/** Node's longest timer, in milliseconds. */
const LONGEST_TIMER_MS = 2_147_483_647;

/** Resolves when scanimage has exited and all finished pages are synced to disk. */
export async function runSession(session: Session, options: SessionOptions): Promise<SessionEnd> {
  const { program, request, device, duplex } = session;
  const { signal, limits, onPage } = options;
  const { pageTimeoutMs } = limits;
  const { directory } = request;
  // Less than the page timeout, so that the watchdog does not blame the scanner for the disk.
  const diskMs = pageTimeoutMs / 2;
  const freeBytes = (of: string): Promise<number> => fromDisk(options.freeBytes(of), of, diskMs);
  // A last resort, if scanimage never falls silent.
  const timeoutMs = Math.min(pageTimeoutMs * (request.max_pages + 2), LONGEST_TIMER_MS);
  const running = startProgram(program, { timeoutMs, memoryBytes: SCANIMAGE_MEMORY_BYTES });
  const stopper = createScanStopper(running, limits);
  const onFailure = (failure: Failure): void => stopper.halt({ kind: 'failed', failure });
  const pages = createScannedPages({ request, duplex, freeBytes, diskMs, onPage, onFailure });
  const watchdog = createWatchdog(limits, stopper, pages.next);
  const link = watchLink(running.pid, device, (host) => stopper.halt({ kind: 'cut_off', host }));
  const stop = (): void => stopper.halt({ kind: 'stopped', reason: reasonOf(signal) });
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
      if (prompt !== undefined && (prompt <= pages.next() || stopper.cause())) {
        if (await mayFeed(prompt, session, stopper, freeBytes)) {
          running.stdin.write('\n');
          asked += 1;
        } else running.stdin.end();
        prompt = undefined;
      }
    }
  } finally {
    watchdog.over();
    link.over();
    stopper.over();
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
    halt: stopper.cause(),
    leftHalf: halves.includes(pages.next()),
    fedAny: asked > 0,
    pageUnderWay: asked > pages.next() - request.first_page,
  };
}

/** Halts the scan if the requested page must not be fed. */
async function mayFeed(
  page: number,
  { request, duplex }: Session,
  stopper: ScanStopper,
  freeBytes: (directory: string) => Promise<number>,
): Promise<boolean> {
  const done = page - request.first_page;
  const midSheet = duplex && done % 2 === 1;
  const cause = stopper.cause();
  if (cause) return cause.kind === 'stopped' && midSheet;
  if (done >= request.max_pages) {
    stopper.halt({ kind: 'max_pages' });
    return false;
  }
  const pages = duplex && !midSheet ? 2 : 1;
  const shortage = await storageShortage(page, { request, pages }, freeBytes);
  if (shortage) stopper.halt({ kind: 'failed', failure: shortage });
  return shortage === undefined;
}

export function reasonOf(signal: AbortSignal): StopReason {
  const reason: unknown = signal.reason;
  return reason === 'connection_lost' || reason === 'shutting_down' ? reason : 'cancelled';
}
