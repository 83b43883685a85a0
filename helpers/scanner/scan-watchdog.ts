import type { ScanEvent } from './scan-events.ts';
import type { Halting } from './scan-halt.ts';
import type { ScanLimits } from './scan-limits.ts';

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
