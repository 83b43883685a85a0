import path from 'node:path';
import {
  deliverDocuments,
  type DocumentToDeliver,
  type FinishedDelivery,
} from '../destinations/deliver-documents.ts';
import { unknown } from '../destinations/destination.ts';
import type { Scan, ScanParts } from './scan-call.ts';
import type { ScannedDocument } from './scan-record.ts';

/** What is recorded while an upload is under way. */
const INTERRUPTED = unknown('the upload was cut off');

/**
 * Delivers the documents of a scan to the destinations of its profile, one upload after the other, and records each entry
 * as it comes. Rejects with the deadline's reason when time ran out; the record then has the entries that were finished.
 */
export async function deliverScan(scan: Scan, parts: Pick<ScanParts, 'readSecret'>): Promise<void> {
  const { profile, record, deadline, log } = scan;
  const keep = (finished: FinishedDelivery): Promise<void> =>
    record.update({ documents: withDelivery(record.current().documents, finished) });
  await deliverDocuments({
    documents: record.current().documents.map((document) => toDeliver(scan, document)),
    destinations: profile.destinations,
    readSecret: parts.readSecret,
    signal: deadline.signal,
    log,
    // A crash in the middle of an upload must not look as if nothing had been sent.
    onBegin: (place) => keep({ ...place, delivery: INTERRUPTED }),
    onEntry: keep,
  });
  deadline.signal.throwIfAborted();
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
