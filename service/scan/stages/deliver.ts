import path from 'node:path';
import type { NewScanEvent } from '../../archive/scan-event.ts';
import { uploadOf } from '../../archive/fold.ts';
import {
  finishedDocuments,
  type FinishedDocument,
  type ScanRecord,
} from '../../archive/scan-record.ts';
import { uploadName } from '../../archive/file-names.ts';
import { deliveryOf } from '../../archive/scan-view.ts';
import { deliverDocument, type DocumentDelivery } from '../../paperless/upload/deliver-document.ts';
import type { Delivery, Destination, DocumentMetadata } from '../../paperless/destination.ts';
import type { Dms } from '../../paperless/dms.ts';
import { titleOf } from '../../documents/document-titles.ts';
import { usableCodes, type UsableCodes } from './code-references.ts';
import type { Scan } from '../scan.ts';

/** Which deliveries of an earlier call are made again. One that was accepted never is. */
export interface Redelivery {
  /** Those that the destination surely has not stored. */
  readonly redeliverFailed: boolean;
  /** Those whose outcome is unknown: only a person can decide that. */
  readonly resendUnknown: boolean;
}

/** What is done unless a caller asks for something else. */
export const DEFAULT_REDELIVERY: Redelivery = { redeliverFailed: true, resendUnknown: false };

/**
 * Delivers the documents of a scan, strictly one upload after the other: each document in order, and each of its destinations
 * in order. A failed destination stops nothing. That an upload begins is durable before anything is sent, so that a crash
 * cannot make it look as if nothing had been. Rejects with the deadline's reason when the time ran out.
 */
export async function deliver(scan: Scan, dms: Dms, redelivery: Redelivery): Promise<void> {
  const { signal } = scan.deadline;
  /** How the upload before ended; recorded together with the beginning of the next one, in one write. */
  let ended: NewScanEvent[] = [];
  for (const upload of uploadsToMake(scan.record(), redelivery)) {
    if (signal.aborted) break;
    const { place, title, document, destination } = upload;
    if (Object.keys(document.metadata).length > 0 && ended.length > 0) {
      // What codes name is looked up first, which may take seconds, or the rest of the time.
      await scan.append(...ended);
      ended = [];
    }
    const codes = await usableCodes(document.metadata, destination, { names: dms.names, signal });
    const warnings = codes.warnings.map((warning) => `${document.filename}: ${warning}`);
    await scan.append(...ended, { type: 'upload_begun', ...place, title, warnings });
    const delivery = await deliverDocument(deliveryFor(scan, dms, { ...upload, codes }));
    ended = [{ type: 'upload_ended', ...place, ...delivery }];
  }
  if (ended.length > 0) await scan.append(...ended);
  signal.throwIfAborted();
}

interface Upload {
  /** Positions of the document and the destination, from 0. */
  readonly place: { readonly document: number; readonly destination: number };
  readonly document: FinishedDocument;
  readonly destination: Destination;
  readonly title: string;
}

/** The uploads that are left, in their order. */
function uploadsToMake(record: ScanRecord, redelivery: Redelivery): Upload[] {
  const documents = finishedDocuments(record);
  return documents.flatMap((document, index) =>
    record.settings.destinations.flatMap((destination, position) => {
      const place = { document: index, destination: position };
      const outcome = deliveryOf(uploadOf(record, place), false)?.outcome;
      if (!isToBeSent(outcome, redelivery)) return [];
      const titled = { ...document, number: index + 1, count: documents.length };
      return { place, document, destination, title: titleOf(record, titled, destination) };
    }),
  );
}

/** Whether nothing is left to deliver. */
export function isDelivered(record: ScanRecord, redelivery: Redelivery): boolean {
  return uploadsToMake(record, redelivery).length === 0;
}

/** Whether an upload is to be made, by what is known of it from an earlier call. */
export function isToBeSent(
  outcome: Delivery['outcome'] | undefined,
  { redeliverFailed, resendUnknown }: Redelivery,
): boolean {
  if (outcome === undefined) return true;
  return outcome === 'refused' ? redeliverFailed : outcome === 'unknown' && resendUnknown;
}

/** What the request says before what codes on the paper say; tags of both. */
function documentMetadata(codes: DocumentMetadata, request: DocumentMetadata): DocumentMetadata {
  const tags = [...(codes.tags ?? []), ...(request.tags ?? [])];
  return { ...codes, ...request, ...(tags.length > 0 && { tags: [...new Set(tags)] }) };
}

function deliveryFor(
  scan: Scan,
  dms: Dms,
  { document, destination, title, codes }: Upload & { readonly codes: UsableCodes },
): DocumentDelivery {
  const { id, directory, deadline, log } = scan;
  const { request } = scan.record();
  return {
    document: {
      path: path.join(directory, document.filename),
      filename: uploadName(id, document),
      ...document.file,
    },
    metadata: { ...documentMetadata(codes.metadata, request), title },
    destination,
    readSecret: dms.readSecret,
    resolveMetadata: dms.names.resolve,
    noteProblem: (problem) => dms.recentProblems.note(destination, problem),
    signal: deadline.signal,
    log,
  };
}
