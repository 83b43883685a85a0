import type { RunningProgram } from '../child-process.ts';
import type { Failure } from '../failure.ts';
import type { StopReason } from '../ipc/messages.ts';

/** Why a scan ends before the feeder is empty. The first cause is the one that is told. */
export type Halt =
  | { readonly kind: 'stopped'; readonly reason: StopReason }
  /** Nothing came from the scanner for the page timeout. */
  | { readonly kind: 'hang'; readonly page: number }
  | { readonly kind: 'failed'; readonly failure: Failure }
  | { readonly kind: 'max_pages' };

/**
 * From a stop to the first signal: time for the page, or the sheet, that is on its way. Someone who cancels wants an
 * answer within a second; a service that went away, or a shutdown, leaves time for a slow sheet, within the ten seconds
 * that Docker gives by default.
 */
const STOP_GRACE_MS: Readonly<Record<StopReason, number>> = {
  cancelled: 400,
  connection_lost: 8000,
  shutting_down: 8000,
};

/** From SIGINT to SIGKILL after a stop: sane-airscan cancels within some 10 ms, and then may start a new job. */
const STOP_KILL_MS = 300;

/** From SIGINT to SIGKILL for a scanner that hangs: time to tell it to end its job. */
const HANG_KILL_MS = 1000;

export interface Halting {
  readonly cause: () => Halt | undefined;
  /** Ends the scan: at the next prompt in any case, and by signals where the kind of halt asks for it. */
  readonly halt: (halt: Halt) => void;
  /** Ends the program that hangs after all is said; no cause. */
  readonly kill: () => void;
  /** The program has ended: no more signals. */
  readonly over: () => void;
}

/** Ends a scanimage by SIGINT, then SIGKILL: at SIGTERM some drivers leave half a page behind. */
export function createHalting(program: Pick<RunningProgram, 'kill'>): Halting {
  let cause: Halt | undefined;
  const timers: NodeJS.Timeout[] = [];
  const killAfter = (interruptMs: number, killMs: number): void => {
    timers.push(setTimeout(() => program.kill('SIGINT'), interruptMs));
    timers.push(setTimeout(() => program.kill('SIGKILL'), interruptMs + killMs));
  };
  return {
    cause: () => cause,
    halt: (halt) => {
      cause ??= halt;
      if (halt.kind === 'stopped') killAfter(STOP_GRACE_MS[halt.reason], STOP_KILL_MS);
      if (halt.kind === 'hang') killAfter(0, HANG_KILL_MS);
    },
    kill: () => killAfter(0, HANG_KILL_MS),
    over: () => {
      for (const timer of timers) clearTimeout(timer);
    },
  };
}
