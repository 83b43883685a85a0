import path from 'node:path';
import { afterRunning } from '../../../helpers/running-time.ts';
import type { NewScanEvent } from '../../archive/scan-event.ts';
import {
  finishedDocuments,
  type FinishedDocument,
  type ScanRecord,
} from '../../archive/scan-record.ts';
import { uploadName } from '../../archive/file-names.ts';
import { decideUpload, type Redelivery, type UploadFacts } from '../../archive/upload-decision.ts';
import { titleOf } from '../../archive/document-title.ts';
import {
  identityOf,
  type Destination,
  type DocumentFile,
  type DocumentMetadata,
} from '../../paperless/destination.ts';
import type { Dms } from '../../paperless/dms.ts';
import { deliverDocument } from '../../paperless/upload/deliver-document.ts';
import { createFreeSerialNumbers } from '../../paperless/serial-number.ts';
import type { Scan } from '../scan.ts';
import { askBeforeUpload } from './ask-before-upload.ts';
import { usableCodes } from './code-references.ts';

/** The end of an upload is recorded after this time, if no other upload has begun by then. */
const RECORD_END_AFTER_MS = 1000;

/**
 * Delivers documents one by one, each to its destinations in order, even if some fail. Records the
 * beginning of an upload before sending, so that a crash cannot hide it. Asks the destination
 * before resending a document that may be there. Rejects at the deadline.
 */
export async function deliver(scan: Scan, dms: Dms, redelivery: Redelivery): Promise<void> {
  const { signal } = scan.deadline;
  const names = dms.names(signal);
  const withFreeNumber = createFreeSerialNumbers(dms.accessTo, signal);
  /** The end of the previous upload. It is recorded together with the next beginning. */
  let ended: NewScanEvent[] = [];
  const record = async (...events: readonly NewScanEvent[]): Promise<void> => {
    const all = [...ended, ...events];
    ended = [];
    if (all.length > 0) await scan.append(...all);
  };
  for (const upload of uploadsToMake(scan.record(), redelivery)) {
    if (signal.aborted) break;
    const { place, title, document, destination } = upload;
    const file = fileOf(scan, document);
    // The next checks may take long, so the end of the previous upload is recorded before.
    const { request } = scan.record();
    const asked = Object.keys({ ...document.metadata, ...request });
    if (upload.mayAlreadyBeThere || asked.length > 0) await record();
    const kept = upload.mayAlreadyBeThere
      ? await askBeforeUpload(scan, dms, { ...upload, document: place.document, file })
      : undefined;
    if (kept) {
      await record({ type: 'upload_ended', ...place, ...kept });
      continue;
    }
    const codes = await usableCodes(document.metadata, destination, names);
    const wanted = documentMetadata(codes.metadata, request);
    const { metadata, warning } = await withFreeNumber(wanted, destination);
    const warnings = [...codes.warnings, ...(warning === undefined ? [] : [warning])]
      // The warning about the request's serial number is already recorded.
      .filter((one) => !scan.record().warnings.includes(one))
      .map((one) => `${document.filename}: ${one}`);
    const begun: NewScanEvent = { type: 'upload_begun', ...place, title, warnings };
    // If this write fails, the next one includes the event.
    const keepEnd = afterRunning(RECORD_END_AFTER_MS, () => void record().catch(() => {}));
    let isBegun = false;
    const delivery = await deliverDocument({
      document: file,
      metadata: { ...metadata, title },
      destination,
      readSecret: dms.readSecret,
      resolveMetadata: names.resolve,
      onReady: async () => {
        keepEnd();
        isBegun = true;
        await record(begun);
      },
      signal,
      log: scan.log,
    });
    keepEnd();
    // Without a call of `onReady`, nothing was sent. `begun` still records the title and warnings.
    ended.push(...(isBegun ? [] : [begun]), { type: 'upload_ended', ...place, ...delivery });
  }
  await record();
  signal.throwIfAborted();
}

interface DueUpload {
  /** Counted from 0. */
  readonly place: { readonly document: number; readonly destination: number };
  readonly document: FinishedDocument;
  readonly destination: Destination;
  readonly title: string;
  readonly facts: UploadFacts;
  readonly mayAlreadyBeThere: boolean;
}

/** The remaining uploads, in order: at most one per document, system and account. */
function uploadsToMake(record: ScanRecord, redelivery: Redelivery): DueUpload[] {
  const documents = finishedDocuments(record);
  const { destinations } = record.settings;
  const identities = destinations.map(identityOf);
  return documents.flatMap((document, index) =>
    destinations.flatMap((destination, position) => {
      const identity = identityOf(destination);
      const facts = { identity, identities, document, redelivery };
      const { kind } = decideUpload(facts);
      if (kind === 'keep' || identities.indexOf(identity) < position) return [];
      const place = { document: index, destination: position };
      const titled = { ...document, number: index + 1, count: documents.length };
      const title = titleOf(record, titled, destination);
      return { place, document, destination, title, facts, mayAlreadyBeThere: kind === 'ask' };
    }),
  );
}

export function isDelivered(record: ScanRecord, redelivery: Redelivery): boolean {
  return uploadsToMake(record, redelivery).length === 0;
}

/** Values of the request override codes on the paper; tags are combined. */
function documentMetadata(codes: DocumentMetadata, request: DocumentMetadata): DocumentMetadata {
  const tags = [...(codes.tags ?? []), ...(request.tags ?? [])];
  return { ...codes, ...request, ...(tags.length > 0 && { tags: [...new Set(tags)] }) };
}

function fileOf({ id, directory }: Scan, document: FinishedDocument): DocumentFile {
  const { file, earlier_sha256 } = document;
  const filename = uploadName(id, document);
  return { path: path.join(directory, document.filename), filename, ...file, earlier_sha256 };
}
