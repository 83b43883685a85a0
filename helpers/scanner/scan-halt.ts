import type { RunningProgram } from '../child-process.ts';
import type { Failure } from '../failure.ts';
import type { StopReason } from '../ipc/messages.ts';
import type { ScanEvent } from './scanimage-events.ts';

/** How long the steps of one scan may take, in milliseconds. */
export interface ScanLimits {
  /** Without a sign of the scanner. */
  readonly pageTimeoutMs: number;
  /**
   * From a stop to the first signal: time for the sheet on its way to become a page. A sheet at 600 dpi in colour takes some
   * seconds; the caller that asked for the stop waits ten.
   */
  readonly stopGraceMs: number;
  /**
   * From SIGINT to SIGKILL: sane-airscan needs some 10 ms to delete its job, and in the middle of a stack then begins a new one,
   * which must not get far.
   */
  readonly killMs: number;
  /**
   * From the end of the batch to the exit of scanimage, which closes the device: sane-airscan gives its last request ten
   * seconds. Drivers with threads hang here now and then (the `test` backend of sane-backends 1.2.1 in 1 of 200 runs).
   */
  readonly closeMs: number;
}

/** All but the page timeout, which is the operator's to set. */
export const SCAN_LIMITS: Omit<ScanLimits, 'pageTimeoutMs'> = {
  stopGraceMs: 8000,
  killMs: 500,
  closeMs: 12_000,
};

/** Why a scan ends before the feeder is empty. The first cause is the one that is reported. */
export type Halt =
  | { readonly kind: 'stopped'; readonly reason: StopReason }
  /** Nothing came from the scanner for the page timeout. */
  | { readonly kind: 'hang'; readonly page: number }
  | { readonly kind: 'failed'; readonly failure: Failure }
  /** The saned on that computer has closed the connection. */
  | { readonly kind: 'cut_off'; readonly host: string }
  | { readonly kind: 'max_pages' };

export interface Halting {
  readonly cause: () => Halt | undefined;
  /** Ends the scan: at the next prompt in any case, and by signals where the kind of halt asks for it. */
  readonly halt: (halt: Halt) => void;
  /** Ends a program that hangs after it has reported the outcome; no cause. */
  readonly kill: () => void;
  /** The program has ended: no more signals. */
  readonly over: () => void;
}

/** Ends a scanimage by SIGINT, then SIGKILL: at SIGTERM some drivers leave half a page behind. */
export function createHalting(
  program: Pick<RunningProgram, 'kill'>,
  { stopGraceMs, killMs }: ScanLimits,
): Halting {
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
  /** A sign of the scanner. */
  readonly sign: (event: ScanEvent) => void;
  readonly hungAtEnd: () => boolean;
  readonly over: () => void;
}

/** Ends a scanimage that says nothing for too long; `page` is the number of the page that is waited for. */
export function createWatchdog(
  { pageTimeoutMs, closeMs }: ScanLimits,
  halting: Halting,
  page: () => number,
): Watchdog {
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
      timer = setTimeout(endedBatch, Math.min(closeMs, pageTimeoutMs));
    },
    hungAtEnd: () => hungAtEnd,
    over: () => clearTimeout(timer),
  };
}
