import { counted } from '../../helpers/counted.ts';
import type { StreamEvent } from '../../service/page/event-stream.js';
import { fieldsOf } from '../terminal/progress.ts';
import { SetUpError } from './set-up-error.ts';

/** 128 plus the signal number, as in shells. */
const EXIT_CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

export type StopSignal = keyof typeof EXIT_CODES;

export interface Progress {
  /** Set once writing the files has begun. */
  writing?: Promise<readonly string[]>;
  /** The test scan. `goesOn`: it continues in a running appliance. */
  scan?: { readonly id: string; readonly pages: number; readonly goesOn: boolean };
}

/** Aborts on the first stop signal, with its name as the reason. */
export function stopOnSignals(): AbortController {
  const stop = new AbortController();
  for (const signal of Object.keys(EXIT_CODES) as StopSignal[]) {
    process.on(signal, () => stop.abort(signal));
  }
  return stop;
}

/** Like `work`, but rejects with a SetUpError when set-up is stopped. */
export function untilStopped<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const stopped = Promise.withResolvers<never>();
  const onAbort = (): void => stopped.reject(new SetUpError('Stopped.'));
  signal.addEventListener('abort', onAbort, { once: true });
  return Promise.race([work, stopped.promise]).finally(() =>
    signal.removeEventListener('abort', onAbort),
  );
}

export function noteScan(progress: Progress, event: StreamEvent, goesOn: boolean): void {
  const { scan_id: id } = fieldsOf(event);
  if (typeof id === 'string') progress.scan = { id, pages: 0, goesOn };
  else if (event.event === 'page' && progress.scan !== undefined) {
    progress.scan = { ...progress.scan, pages: progress.scan.pages + 1 };
  }
}

/**
 * The message after a stop: what is stored, and how to continue. Waits for files being written.
 * `command` restarts set-up.
 */
export async function describeStop(progress: Progress, command: string): Promise<string> {
  const { writing, scan } = progress;
  const written = await writing?.catch(() => undefined);
  const lines = [
    writing === undefined
      ? 'Stopped. Nothing was written.'
      : written === undefined
        ? 'Stopped while the files were being written.'
        : 'Stopped. Your answers are stored in the files above.',
  ];
  if (scan?.goesOn === true) {
    lines.push(`The test scan ${scan.id} goes on in the appliance. The control page shows it.`);
  } else if (scan !== undefined) {
    const stored =
      scan.pages === 0 ? 'stored no page' : `stored ${counted(scan.pages, 'page')}, which stay`;
    lines.push(`The test scan ${scan.id} ${stored}.`);
    if (scan.pages > 0) {
      lines.push(
        'To file them, start the appliance, then:',
        `  npm run scan -- --resume ${scan.id}`,
      );
    }
  }
  lines.push(
    writing === undefined ? 'Start again:' : 'Go on, where Enter keeps each answer:',
    `  ${command}`,
  );
  return `\n${lines.join('\n')}`;
}

export function exitCodeOf(signal: AbortSignal): number {
  return EXIT_CODES[signal.reason as StopSignal];
}
