import type { RunningProgram } from '../child-process.ts';
import type { Failure } from '../failure.ts';
import type { StopReason } from '../ipc/messages.ts';
import type { ScanEvent } from './scanimage-events.ts';

/** In milliseconds. */
export interface ScanLimits {
  /** How long scanimage may print nothing. */
  readonly pageTimeoutMs: number;
  /**
   * Time from a stop to SIGINT, so that the current sheet can become a page. A colour sheet at 600
   * dpi takes some seconds; the caller that requested the stop waits ten.
   */
  readonly stopGraceMs: number;
  /**
   * Time from SIGINT to SIGKILL. sane-airscan deletes its job within 10 ms. In the middle of a
   * stack it may start another one, which must not get far.
   */
  readonly killMs: number;
  /**
   * Time from the end of the batch to scanimage's exit. sane-airscan allows ten seconds for its
   * last request. Drivers with threads may hang here (the `test` backend of sane-backends 1.2.1 in
   * 1 of 200 runs).
   */
  readonly closeMs: number;
}

/** The operator sets the page timeout. */
export const SCAN_LIMITS: Omit<ScanLimits, 'pageTimeoutMs'> = {
  stopGraceMs: 8000,
  killMs: 500,
  closeMs: 12_000,
};

/** Why a scan ends before the feeder is empty. Only the first cause is kept. */
export type Halt =
  | { readonly kind: 'stopped'; readonly reason: StopReason }
  | { readonly kind: 'hang'; readonly page: number }
  | { readonly kind: 'failed'; readonly failure: Failure }
  | { readonly kind: 'cut_off'; readonly host: string }
  | { readonly kind: 'max_pages' };

export interface ScanStopper {
  readonly cause: () => Halt | undefined;
  /** Ends the scan at the next prompt. Also sends signals after a stop, a hang or a lost saned. */
  readonly halt: (halt: Halt) => void;
  /** Ends a scanimage that hangs after reporting its outcome. Sets no cause. */
  readonly kill: () => void;
  readonly over: () => void;
}

/** Sends SIGINT, then SIGKILL. With SIGTERM, some drivers leave a partial page behind. */
export function createScanStopper(
  program: Pick<RunningProgram, 'kill'>,
  { stopGraceMs, killMs }: ScanLimits,
): ScanStopper {
  let cause: Halt | undefined;
  const timers: NodeJS.Timeout[] = [];
  const killAfter = (interruptMs: number): void => {
    timers.push(setTimeout(() => program.kill('SIGINT'), interruptMs));
    timers.push(setTimeout(() => program.kill('SIGKILL'), interruptMs + killMs));
  };
  return {
    cause: () => cause,
    halt: (halt) => {
      cause ??= halt;
      if (halt.kind === 'stopped') killAfter(stopGraceMs);
      if (halt.kind === 'hang' || halt.kind === 'cut_off') killAfter(0);
    },
    kill: () => killAfter(0),
    over: () => {
      for (const timer of timers) clearTimeout(timer);
    },
  };
}

export interface Watchdog {
  readonly sign: (event: ScanEvent) => void;
  readonly hungAtEnd: () => boolean;
  readonly over: () => void;
}

/** Halts a scan if scanimage is silent for too long. `page` returns the expected page. */
export function createWatchdog(
  { pageTimeoutMs, closeMs }: ScanLimits,
  stopper: ScanStopper,
  page: () => number,
): Watchdog {
  let hungAtEnd = false;
  let timer = setTimeout(() => stopper.halt({ kind: 'hang', page: page() }), pageTimeoutMs);
  const endedBatch = (): void => {
    hungAtEnd = true;
    stopper.kill();
  };
  return {
    sign: ({ kind }) => {
      timer.refresh();
      if (kind !== 'terminated') return;
      clearTimeout(timer);
      timer = setTimeout(endedBatch, Math.min(closeMs, pageTimeoutMs));
    },
    hungAtEnd: () => hungAtEnd,
    over: () => clearTimeout(timer),
  };
}
