import path from 'node:path';
import type { NewScanEvent, UploadEnded } from '../../archive/scan-event.ts';
import {
  finishedDocuments,
  type FinishedDocument,
  type ScanRecord,
} from '../../archive/scan-record.ts';
import { uploadName } from '../../archive/file-names.ts';
import { deliveryOf, leftDestinations } from '../../archive/deliveries.ts';
import { titleOf } from '../../documents/document-titles.ts';
import {
  entryOf,
  identityOf,
  type Delivery,
  type Destination,
  type DocumentFile,
  type DocumentMetadata,
} from '../../paperless/destination.ts';
import type { Dms } from '../../paperless/dms.ts';
import { deliverDocument } from '../../paperless/upload/deliver-document.ts';
import { createFreeSerialNumbers } from '../../paperless/serial-number.ts';
import { findUpload, type Doubt, type FoundUpload } from '../../paperless/upload/find-upload.ts';
import type { Scan } from '../scan.ts';
import { usableCodes } from './code-references.ts';

/** Which deliveries of an earlier call are made again. Whatever else one was, a destination that accepted it is never sent it by itself. */
export interface Redelivery {
  /** Those that the destination surely has not stored. */
  readonly redeliver_failed: boolean;
  /** Those whose outcome is unknown: only a person can decide that. */
  readonly resend_unknown: boolean;
  /** File names of documents that a destination accepted, and a person found missing there. */
  readonly resend_submitted: readonly string[];
  /** Documents also go to destinations that were never sent them, although one that has them is no longer in the profile. */
  readonly add_destinations: boolean;
}

/** What is done unless a caller asks for something else. */
export const DEFAULT_REDELIVERY: Redelivery = {
  redeliver_failed: true,
  resend_unknown: false,
  resend_submitted: [],
  add_destinations: false,
};

/**
 * Delivers the documents of a scan, strictly one upload after the other: each document in order, and each of its destinations
 * in order. A failed destination stops nothing. That an upload begins is durable before anything is sent, so that a crash
 * cannot make it look as if nothing had been. A document that may be there already is asked for before it is sent again.
 * Rejects with the deadline's reason when the time ran out.
 */
export async function deliver(scan: Scan, dms: Dms, redelivery: Redelivery): Promise<void> {
  const { signal } = scan.deadline;
  const names = dms.names(signal);
  const withFreeNumber = createFreeSerialNumbers(dms.accessTo, signal);
  /** How the upload before ended; recorded together with the beginning of the next one, in one write. */
  let ended: NewScanEvent[] = [];
  const record = async (...events: readonly NewScanEvent[]): Promise<void> => {
    const all = [...ended, ...events];
    ended = [];
    if (all.length > 0) await scan.append(...all);
  };
  for (const upload of uploadsToMake(scan.record(), redelivery)) {
    if (signal.aborted) break;
    const { place, title, document, destination, doubt } = upload;
    const file = fileOf(scan, document);
    // What is asked before an upload may take seconds, or the rest of the time.
    const { request } = scan.record();
    const asked = Object.keys({ ...document.metadata, ...request });
    if (doubt !== undefined || asked.length > 0) await record();
    const found = doubt && (await lookFor(file, { dms, destination, doubt, signal }));
    if (found) {
      await record({ type: 'upload_ended', ...place, ...asFound(found, upload) });
      continue;
    }
    const codes = await usableCodes(document.metadata, destination, names);
    const wanted = documentMetadata(codes.metadata, request);
    const { metadata, warning } = await withFreeNumber(wanted, destination);
    const warnings = [...codes.warnings, ...(warning === undefined ? [] : [warning])]
      // A number of the request was asked for before paper moved, and this was said.
      .filter((one) => !scan.record().warnings.includes(one))
      .map((one) => `${document.filename}: ${one}`);
    await record({ type: 'upload_begun', ...place, title, warnings });
    const delivery = await deliverDocument({
      document: file,
      metadata: { ...metadata, title },
      destination,
      readSecret: dms.readSecret,
      resolveMetadata: names.resolve,
      signal,
      log: scan.log,
    });
    ended = [{ type: 'upload_ended', ...place, ...delivery }];
  }
  await record();
  signal.throwIfAborted();
}

/** Undefined where the document is to be sent; also where the system cannot be asked. */
async function lookFor(
  file: DocumentFile,
  {
    dms,
    destination,
    doubt,
    signal,
  }: Pick<DueUpload, 'destination'> & {
    readonly dms: Dms;
    readonly doubt: Doubt;
    readonly signal: AbortSignal;
  },
): Promise<FoundUpload | undefined> {
  try {
    const access = await dms.accessTo(destination, signal, 'patient');
    return await findUpload(access, file, doubt);
  } catch {
    // Without a token or a file there is no upload either, and that says what is wrong.
    return undefined;
  }
}

/** What is recorded of an upload that is not made, because the system has the document. */
function asFound(
  found: FoundUpload,
  { document, last }: DueUpload,
): Omit<UploadEnded, 'at' | 'type' | 'document' | 'destination'> {
  if (found.kind === 'accepted') return entryOf({ outcome: 'accepted', taskId: found.taskId });
  const warnings = [`${document.filename}: ${found.why}`];
  if (last?.outcome === 'accepted') return { ...last, warnings };
  return { entry: { status: 'failed', error: found.why }, outcome: 'unknown', warnings };
}

interface DueUpload {
  /** Positions of the document and the destination, from 0. */
  readonly place: { readonly document: number; readonly destination: number };
  readonly document: FinishedDocument;
  readonly destination: Destination;
  readonly title: string;
  /** How the upload before ended. */
  readonly last: Delivery | undefined;
  /** The document may be there: the system is asked first. */
  readonly doubt: Doubt | undefined;
}

/** The uploads that are left, in their order: at most one of a document to each system and account. */
function uploadsToMake(record: ScanRecord, redelivery: Redelivery): DueUpload[] {
  const documents = finishedDocuments(record);
  const { destinations } = record.settings;
  return documents.flatMap((document, index) => {
    const left = leftDestinations(destinations.map(identityOf), document);
    const isNewAllowed = redelivery.add_destinations || left.length === 0;
    const taken = new Set<string>();
    return destinations.flatMap((destination, position) => {
      const identity = identityOf(destination);
      const last = deliveryOf(document.uploads[identity], false);
      if (taken.has(identity) || !isToBeSent(last, document, { ...redelivery, isNewAllowed })) {
        return [];
      }
      taken.add(identity);
      const place = { document: index, destination: position };
      const titled = { ...document, number: index + 1, count: documents.length };
      const title = titleOf(record, titled, destination);
      return { place, document, destination, title, last, doubt: doubtOf(last) };
    });
  });
}

function doubtOf(last: Delivery | undefined): Doubt | undefined {
  if (last?.outcome === 'unknown') return 'unknown';
  return last?.outcome === 'accepted' ? 'submitted' : undefined;
}

/** Whether nothing is left to deliver. */
export function isDelivered(record: ScanRecord, redelivery: Redelivery): boolean {
  return uploadsToMake(record, redelivery).length === 0;
}

/** Whether an upload is to be made, by what is known of it from an earlier call. */
function isToBeSent(
  last: Delivery | undefined,
  { filename }: Pick<FinishedDocument, 'filename'>,
  redelivery: Redelivery & { readonly isNewAllowed: boolean },
): boolean {
  switch (last?.outcome) {
    case undefined:
      return redelivery.isNewAllowed;
    case 'refused':
      return redelivery.redeliver_failed;
    case 'unknown':
      return redelivery.resend_unknown;
    case 'accepted':
      return redelivery.resend_submitted.includes(filename);
  }
}

/** What the request says before what codes on the paper say; tags of both. */
function documentMetadata(codes: DocumentMetadata, request: DocumentMetadata): DocumentMetadata {
  const tags = [...(codes.tags ?? []), ...(request.tags ?? [])];
  return { ...codes, ...request, ...(tags.length > 0 && { tags: [...new Set(tags)] }) };
}

function fileOf({ id, directory }: Scan, document: FinishedDocument): DocumentFile {
  const filename = uploadName(id, document);
  return { path: path.join(directory, document.filename), filename, ...document.file };
}
