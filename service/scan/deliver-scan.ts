import path from 'node:path';
import {
  deliverDocuments,
  type DeliveryPlace,
  type DeliveryStep,
  type DocumentToDeliver,
} from '../destinations/deliver-documents.ts';
import { unknown, type Delivery } from '../destinations/destination.ts';
import { withNotes, type DeliveryNote } from './delivery-journal.ts';
import type { Scan, ScanParts } from './scan-call.ts';
import type { ScannedDocument, ScanRecordFile } from './scan-record.ts';

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
  await deliverDocuments({
    documents: record.current().documents.map((document) => toDeliver(scan, document)),
    destinations: profile.destinations,
    isWanted: ({ documentIndex, destinationIndex }) =>
      isToBeSent(record.current().documents[documentIndex]?.outcomes[destinationIndex], redelivery),
    readSecret: parts.readSecret,
    signal: deadline.signal,
    log,
    onStep: (step) => recordStep(record, step),
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

/** Records what is known between two uploads, in one write: the outcome of the one, and that the other begins. */
function recordStep(record: ScanRecordFile, { finished, begins }: DeliveryStep): Promise<void> {
  const notes = finished ? [noteOf(finished, finished.delivery)] : [];
  // A crash in the middle of an upload must not look as if nothing had been sent.
  if (begins) return record.note([...notes, noteOf(begins, INTERRUPTED)]);
  return record.update({ documents: withNotes(record.current().documents, notes) });
}

function noteOf(
  { documentIndex, destinationIndex }: DeliveryPlace,
  { entry, outcome }: Delivery,
): DeliveryNote {
  return { document: documentIndex, destination: destinationIndex, entry, outcome };
}
