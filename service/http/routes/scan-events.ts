import type { Router } from '@koa/router';
import { Failure } from '../../../helpers/failure.ts';
import type { ScanArchive } from '../../archive/scan-archive.ts';
import { detailsOf } from '../../archive/scan-details.ts';
import type { ScanRecord } from '../../archive/scan-record.ts';
import { resultOf } from '../../archive/scan-view.ts';
import { withScanFacts } from '../../scan/call/finish.ts';
import type { Scans } from '../../scan/call/scans.ts';
import { endWith } from '../events/answer-call.ts';
import { resultMessage, scanEventMessage, snapshotMessage } from '../events/event-message.ts';
import { answerWith, createEventStream, type ScanWatchers } from '../events/scan-watchers.ts';

export interface ScanEventsParts {
  readonly archive: ScanArchive;
  readonly scans: Scans;
  readonly watchers: ScanWatchers;
}

/**
 * GET /scans/{scan_id}/events: the scan as it is now, or the events after `Last-Event-ID`; then, while a call works on it, its
 * events; and the result, also of a call that has ended. 204 where nothing is left to send, which keeps an EventSource from asking again.
 */
export function scanEventsRoute(router: Router, parts: ScanEventsParts): void {
  const { archive, scans, watchers } = parts;

  router.get('/scans/:scan_id/events', async (ctx) => {
    const id = ctx.params['scan_id'] ?? '';
    const after = eventNumber(ctx.get('Last-Event-ID'));
    const early: { message: Buffer; sequence: number }[] = [];
    let pass = (message: Buffer, sequence: number): void => void early.push({ message, sequence });
    // Before the scan is read, so that no event is missed between the two.
    const unwatch = watchers.watch(id, (message, sequence) => pass(message, sequence));
    try {
      const stored = await archive.find(id);
      const answer = scans.answer(id);
      if (answer === undefined && after !== undefined && after >= stored.sequence) {
        unwatch();
        ctx.body = null;
        return;
      }
      const past =
        after === undefined
          ? [snapshotMessage(detailsOf(stored.record, stored.isOpen), stored.sequence)]
          : await eventsBetween(archive, id, { after, last: stored.sequence });
      const since = early.filter(({ sequence }) => sequence > stored.sequence);
      const first = Buffer.concat([...past, ...since.map(({ message }) => message)]);
      const stream = createEventStream({ first, onClose: unwatch, limits: watchers.limits });
      pass = (message) => stream.send(message);
      answerWith(ctx, stream);
      if (answer) endWith(stream, answer);
      else stream.end(lastAnswer(stored.record));
    } catch (error) {
      unwatch();
      throw error;
    }
  });
}

/** What a call that has ended came to; undefined for one that was cut off. */
function lastAnswer(record: ScanRecord): Buffer | undefined {
  const { ended_at, error, scan_id } = record;
  if (ended_at === null) return undefined;
  if (!error) return resultMessage(resultOf(record));
  return resultMessage(withScanFacts(new Failure(error.error, error.message), scan_id, record));
}

/** Undefined unless the header holds the number of an event: such a caller has seen nothing yet. */
function eventNumber(header: string): number | undefined {
  return /^\d{1,9}$/.test(header) ? Number(header) : undefined;
}

async function eventsBetween(
  archive: ScanArchive,
  id: string,
  { after, last }: { readonly after: number; readonly last: number },
): Promise<Buffer[]> {
  const messages: Buffer[] = [];
  await archive.replay(id, (event, record, sequence, before) => {
    // What was written meanwhile comes from the watcher.
    if (sequence > after && sequence <= last)
      messages.push(scanEventMessage(event, record, { sequence, before }));
  });
  return messages;
}
