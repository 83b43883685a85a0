import { EventEmitter, on, once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Ended, RunningProgram } from '../child-process.ts';

/** What a scanimage that runs with `--batch-print --batch-prompt` tells, in the order in which it is read. */
export type ScanEvent =
  /** It waits for a newline before it feeds this page. May be read before the name of the page before it. */
  | { readonly kind: 'prompt'; readonly page: number }
  /** The file is complete and under its final name. */
  | { readonly kind: 'page'; readonly filename: string }
  /** It has nothing more to do than to close the device. */
  | { readonly kind: 'terminated' }
  /** Always the last one. */
  | { readonly kind: 'ended'; readonly ended: Ended };

const PROMPT = /^Place document no\. (?<page>\d+) on the scanner\./u;

/** The events of a program just started, until it has ended and its output is read to the end. */
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
