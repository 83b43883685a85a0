import { EventEmitter, on, once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Ended, RunningProgram } from '../child-process.ts';

/** What scanimage prints with `--batch-print --batch-prompt`, in the order read. */
export type ScanEvent =
  /** Waits for a newline before feeding. May precede the name of the previous page. */
  | { readonly kind: 'prompt'; readonly page: number }
  /** The file is complete and has its final name. */
  | { readonly kind: 'page'; readonly filename: string }
  /** Only closing the device remains. */
  | { readonly kind: 'terminated' }
  | { readonly kind: 'ended'; readonly ended: Ended };

const PROMPT = /^Place document no\. (?<page>\d+) on the scanner\./u;

/** Ends when the program has exited and its output has been read. */
export async function* scanEvents(program: RunningProgram): AsyncGenerator<ScanEvent> {
  const events = new EventEmitter();
  const emit = (event: ScanEvent): void => void events.emit('event', event);
  const stream = on(events, 'event');
  const names = createInterface({ input: program.stdout });
  const chatter = createInterface({ input: program.stderr });
  names.on('line', (filename) => emit({ kind: 'page', filename }));
  chatter.on('line', (line) => {
    const page = PROMPT.exec(line)?.groups?.['page'];
    if (page !== undefined) emit({ kind: 'prompt', page: Number(page) });
    if (line.startsWith('Batch terminated')) emit({ kind: 'terminated' });
  });
  const read = [once(names, 'close'), once(chatter, 'close')];
  void Promise.all([program.ended, ...read]).then(([ended]) => emit({ kind: 'ended', ended }));
  for await (const [emitted] of stream) {
    const event: ScanEvent = emitted;
    yield event;
    if (event.kind === 'ended') return;
  }
}
