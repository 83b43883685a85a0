import { setTimeout as wait } from 'node:timers/promises';
import { messageOf } from '../../helpers/error-code.ts';
import type { Log } from '../../helpers/log.ts';
import {
  isTemporary,
  refused,
  sendingFailed,
  unexpected,
  unreachable,
  type SentFiles,
} from './processor-failures.ts';
import type { Replicas } from './replicas.ts';
import { sendRequest, type Outcome, type ProcessorRequest } from './send-request.ts';
import { IncompleteAnswer } from './store-answer.ts';

/** How long to retry. A replaced container is back by then. */
export const RETRY_FOR_MS = 120_000;

/** Short after a lost connection, then longer, for a restart of the processor. */
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 3000;

export interface Sending {
  readonly baseUrl: URL;
  readonly log: Log;
  readonly replicas: Replicas;
  readonly retryForMs: number;
}

export interface RepeatableRequest extends Omit<ProcessorRequest, 'body' | 'replicas'> {
  readonly what: string;
  readonly body: () => ProcessorRequest['body'];
  readonly files: SentFiles;
}

/**
 * Sends a request, and repeats it while the processor is unreachable, stopping or slow, or the body
 * cannot be read. This is safe, because the processor keeps no state. Rejects like
 * `ProcessorClient`.
 */
export async function sendRepeatedly(
  { baseUrl, log, replicas, retryForMs }: Sending,
  { what, body, files, ...request }: RepeatableRequest,
): Promise<Extract<Outcome, { kind: 'stored' }>> {
  const { signal } = request;
  let lostAt: number | undefined;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    const sent = sendRequest({ ...request, replicas, body: body() });
    const outcome = await sent.catch((error: unknown) => {
      signal.throwIfAborted();
      if (!(error instanceof IncompleteAnswer)) throw error;
      throw unexpected(baseUrl, what, `with an incomplete file (${error.message})`);
    });
    if (outcome.kind === 'stored') return outcome;
    if (outcome.kind === 'refused' && !isTemporary(outcome)) throw refused(baseUrl, what, outcome);
    lostAt ??= performance.now();
    const isLast = performance.now() + pause - lostAt > retryForMs;
    if (outcome.kind === 'lost' && outcome.unread !== undefined) {
      if (isLast) throw sendingFailed(files, outcome.unread);
      const reason = messageOf(outcome.unread);
      log.warn({ event: 'file_unreadable', what, reason }, 'a file of the scan cannot be read');
    } else {
      const reason = outcome.kind === 'lost' ? outcome.code : `it answered ${outcome.status}`;
      if (isLast) throw unreachable(baseUrl, reason);
      log.warn({ event: 'processor_awaited', what, reason }, 'waiting for the processor');
    }
    await wait(pause, undefined, { signal }).catch(() => {});
    signal.throwIfAborted();
  }
}
