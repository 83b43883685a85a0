import type { RunningProgram } from '../child-process.ts';
import type { Failure } from '../failure.ts';
import type { StopReason } from '../ipc/messages.ts';
import type { ScanLimits } from './scan-limits.ts';
import type { ScanEvent } from './scanimage-events.ts';

/** Why a scan ends before the feeder is empty. The first cause is the one that is reported. */
export type Halt =
  | { readonly kind: 'stopped'; readonly reason: StopReason }
  /** Nothing came from the scanner for the page timeout. */
  | { readonly kind: 'hang'; readonly page: number }
  | { readonly kind: 'failed'; readonly failure: Failure }
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
      if (halt.kind === 'hang') killAfter(0);
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
