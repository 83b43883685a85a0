import { counted } from '../../helpers/counted.ts';
import type { StreamEvent } from '../../service/page/event-stream.js';
import { fieldsOf } from '../terminal/progress.ts';
import { SetUpError } from './set-up-error.ts';

/** As a shell reports it: 128 plus the number of the signal. */
const EXIT_CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

export type StopSignal = keyof typeof EXIT_CODES;

/** How far set-up got. */
export interface Progress {
  /** Set while the files are being written, and afterwards. */
  writing?: Promise<readonly string[]>;
  /** The test scan. `goesOn` if it runs in an appliance that set-up does not stop. */
  scan?: { readonly id: string; readonly pages: number; readonly goesOn: boolean };
}

/** Aborts on the first signal that asks set-up to stop, with the name of the signal as its reason. */
export function stopOnSignals(): AbortController {
  const stop = new AbortController();
  for (const signal of Object.keys(EXIT_CODES) as StopSignal[]) {
    process.on(signal, () => stop.abort(signal));
  }
  return stop;
}

/** Resolves or rejects as `work` does, but rejects with a SetUpError as soon as set-up is asked to stop. */
export function untilStopped<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const stopped = Promise.withResolvers<never>();
  const onAbort = (): void => stopped.reject(new SetUpError('Stopped.'));
  signal.addEventListener('abort', onAbort, { once: true });
  return Promise.race([work, stopped.promise]).finally(() =>
    signal.removeEventListener('abort', onAbort),
  );
}

/** Follows the test scan, for the message of a person who stops it. */
export function noteScan(progress: Progress, event: StreamEvent, goesOn: boolean): void {
  const { scan_id: id } = fieldsOf(event);
  if (typeof id === 'string') progress.scan = { id, pages: 0, goesOn };
  else if (event.event === 'page' && progress.scan !== undefined) {
    progress.scan = { ...progress.scan, pages: progress.scan.pages + 1 };
  }
}

/**
 * What a person who stopped set-up needs to know: what is stored, and how to go on. Waits for files that are being written.
 * `command` starts set-up again.
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

/** The exit code of a program that a signal ended. */
export function exitCodeOf(signal: AbortSignal): number {
  return EXIT_CODES[signal.reason as StopSignal];
}
