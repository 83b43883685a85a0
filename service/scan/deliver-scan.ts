import path from 'node:path';
import {
  deliverDocuments,
  type DocumentToDeliver,
  type FinishedDelivery,
} from '../destinations/deliver-documents.ts';
import { unknown } from '../destinations/destination.ts';
import type { Scan, ScanParts } from './scan-call.ts';
import type { ScannedDocument } from './scan-record.ts';

/** Which deliveries of an earlier call are made again. One that was accepted never is. */
export interface Redelivery {
  /** Those that the destination surely has not stored. */
  readonly redeliverFailed: boolean;
  /** Those of which nobody knows: only a person can decide that. */
  readonly resendUnknown: boolean;
}

/** What is done unless a caller asks for something else. */
export const DEFAULT_REDELIVERY: Redelivery = { redeliverFailed: true, resendUnknown: false };

/** What is recorded while an upload is under way. */
const INTERRUPTED = unknown('the upload was cut off');

/**
 * Delivers the documents of a scan to the destinations of its profile, one upload after the other, and records each entry
 * as it comes. What an earlier call delivered is left alone, as `redelivery` says. Rejects with the deadline's reason when
 * time ran out; the record then has the entries that were finished.
 */
export async function deliverScan(
  scan: Scan,
  parts: Pick<ScanParts, 'readSecret'>,
  redelivery: Redelivery = DEFAULT_REDELIVERY,
): Promise<void> {
  const { profile, record, deadline, log } = scan;
  const keep = (finished: FinishedDelivery): Promise<void> =>
    record.update({ documents: withDelivery(record.current().documents, finished) });
  await deliverDocuments({
    documents: record.current().documents.map((document) => toDeliver(scan, document)),
    destinations: profile.destinations,
    isWanted: ({ documentIndex, destinationIndex }) =>
      isToBeSent(record.current().documents[documentIndex]?.outcomes[destinationIndex], redelivery),
    readSecret: parts.readSecret,
    signal: deadline.signal,
    log,
    // A crash in the middle of an upload must not look as if nothing had been sent.
    onBegin: (place) => keep({ ...place, delivery: INTERRUPTED }),
    onEntry: keep,
  });
  deadline.signal.throwIfAborted();
}

/** Whether an upload is to be made, by what is known of it from an earlier call. */
export function isToBeSent(
  outcome: ScannedDocument['outcomes'][number] | undefined,
  { redeliverFailed, resendUnknown }: Redelivery,
): boolean {
  if (outcome === undefined) return true;
  return outcome === 'refused' ? redeliverFailed : outcome === 'unknown' && resendUnknown;
}

/** The file name says which scan it came from, where the system shows nothing else of it. */
function toDeliver(
  scan: Scan,
  { filename, bytes, sha256, title }: ScannedDocument,
): DocumentToDeliver {
  return {
    document: {
      path: path.join(scan.directory, filename),
      filename: `${scan.id}-${filename}`,
      bytes,
      sha256,
    },
    metadata: { ...scan.metadata, title },
  };
}

function withDelivery(
  documents: readonly ScannedDocument[],
  { documentIndex, destinationIndex, delivery }: FinishedDelivery,
): ScannedDocument[] {
  return documents.map((document, index) =>
    index === documentIndex
      ? {
          ...document,
          destinations: replaced(document.destinations, destinationIndex, delivery.entry),
          outcomes: replaced(document.outcomes, destinationIndex, delivery.outcome),
        }
      : document,
  );
}

/** The list with `value` at that place, which may be the one behind its end. */
function replaced<T>(list: readonly T[], place: number, value: T): T[] {
  return [...list.slice(0, place), value, ...list.slice(place + 1)];
}
