import type { Router } from '@koa/router';
import { Failure } from '../../../helpers/failure.ts';
import type { ScanArchive } from '../../archive/scan-archive.ts';
import { detailsOf } from '../../archive/scan-details.ts';
import type { ScanRecord } from '../../archive/scan-record.ts';
import { resultOf } from '../../archive/scan-view.ts';
import { withScanFacts } from '../../scan/call/finish.ts';
import type { Scans } from '../../scan/call/scans.ts';
import { endWith } from '../events/answer-call.ts';
import {
  readEventId,
  type SeenEvents,
  resultMessage,
  scanEventMessage,
  snapshotMessage,
} from '../events/event-message.ts';
import { answerWith, createEventStream, type ScanWatchers } from '../events/scan-watchers.ts';

export interface ScanEventsParts {
  readonly archive: ScanArchive;
  readonly scans: Scans;
  readonly watchers: ScanWatchers;
}

/**
 * Sends the state of a scan or the events after `Last-Event-ID`, then new events and the result.
 * Answers 204 if the client has the result, so that it does not reconnect.
 */
export function scanEventsRoute(router: Router, parts: ScanEventsParts): void {
  const { archive, scans, watchers } = parts;

  router.get('/scans/:scan_id/events', async (ctx) => {
    const id = ctx.params['scan_id'] ?? '';
    const seen = readEventId(ctx.get('Last-Event-ID'));
    const early: { message: Buffer; sequence: number }[] = [];
    let pass = (message: Buffer, sequence: number): void => void early.push({ message, sequence });
    // Subscribes before reading, so that no event is lost in between.
    const unwatch = watchers.watch(id, (message, sequence) => pass(message, sequence));
    try {
      const stored = await archive.find(id);
      const answer = scans.answer(id);
      const { sequence, record } = stored;
      const result = answer ? undefined : lastAnswer(record, sequence);
      if (!answer && hasAll(seen, sequence, result)) {
        unwatch();
        ctx.body = null;
        return;
      }
      const past =
        seen === undefined
          ? [snapshotMessage(detailsOf(record, stored.isOpen), sequence)]
          : await eventsBetween(archive, id, { after: seen.sequence, last: sequence });
      const since = early.filter((one) => one.sequence > sequence);
      let last = since.at(-1)?.sequence ?? sequence;
      const first = Buffer.concat([...past, ...since.map(({ message }) => message)]);
      const stream = createEventStream({ first, onClose: unwatch, limits: watchers.limits });
      pass = (message, now) => {
        last = now;
        stream.send(message);
      };
      answerWith(ctx, stream);
      if (answer) endWith(stream, answer, () => last);
      else stream.end(result);
    } catch (error) {
      unwatch();
      throw error;
    }
  });
}

/** True if no call is running and the client has received everything. */
function hasAll(seen: SeenEvents | undefined, last: number, result: Buffer | undefined): boolean {
  return seen !== undefined && seen.sequence >= last && (seen.hasResult || !result);
}

/** The result of the last call. Undefined if the service stopped during the call. */
function lastAnswer(record: ScanRecord, sequence: number): Buffer | undefined {
  const { ended_at, error, scan_id, rescan } = record;
  if (ended_at === null || rescan?.end === 'cut_off') return undefined;
  if (!error) return resultMessage(resultOf(record), sequence);
  const failure = withScanFacts(new Failure(error.error, error.message), scan_id, record);
  return resultMessage(failure, sequence);
}

async function eventsBetween(
  archive: ScanArchive,
  id: string,
  { after, last }: { readonly after: number; readonly last: number },
): Promise<Buffer[]> {
  const messages: Buffer[] = [];
  await archive.replay(id, (event, record, sequence, before) => {
    if (sequence > after && sequence <= last)
      messages.push(scanEventMessage(event, record, { sequence, before }));
  });
  return messages;
}
