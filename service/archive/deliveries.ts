import { cause } from '../paperless/causes.ts';
import { warning } from '../../helpers/warnings.ts';
import { addressIn, refused, type Delivery } from '../paperless/destination.ts';
import { endpointOf } from '../paperless/endpoint.ts';
import { safeFileName } from '../paperless/upload/file-name.ts';
import { safeTitle } from '../paperless/upload/title.ts';
import { uploadName } from './file-names.ts';
import {
  CUT_OFF,
  type FinishedDocument,
  type RecordedUpload,
  type ScanRecord,
} from './scan-record.ts';

/** Shown for a destination whose turn comes after one that was served in an earlier call. */
const NOT_YET: Delivery = {
  entry: { status: 'failed', error: cause('not_begun', {}) },
  outcome: 'refused',
};

/**
 * What is known of a document at each destination, by their identities and in their order, up to the last one that was served. An
 * upload without an end is under way while a call works on the scan: then the one before it counts. Otherwise it was cut off,
 * and it is unknown whether the document arrived.
 */
export function deliveriesOf(
  { uploads }: Pick<FinishedDocument, 'uploads'>,
  identities: readonly string[],
  { scan_id, isOpen }: Pick<ScanRecord, 'scan_id'> & { readonly isOpen: boolean },
): Delivery[] {
  const left = leftDestinations(identities, { uploads });
  const held = left.length > 0 ? heldBack(scan_id, left) : undefined;
  const known = identities.map((identity) => deliveryOf(uploads[identity], isOpen) ?? held);
  const served = known.findLastIndex((delivery) => delivery !== undefined) + 1;
  return known.slice(0, served).map((delivery) => delivery ?? NOT_YET);
}

/**
 * The identities that have a document, or may have it, and that the profile no longer names. While there is one, a destination
 * that was never sent the document may be that system under another spelling: sending would make a second copy.
 */
export function leftDestinations(
  identities: readonly string[],
  { uploads }: Pick<FinishedDocument, 'uploads'>,
): string[] {
  return Object.entries(uploads).flatMap(([identity, upload]) =>
    !identities.includes(identity) && deliveryOf(upload, false)?.outcome !== 'refused'
      ? [identity]
      : [],
  );
}

function heldBack(scanId: string, left: readonly string[]): Delivery {
  const systems = [...new Set(left.map(addressIn))].join(' and ');
  const body = '{"add_destinations": true}';
  return refused(cause('left_system', { systems, body, path: `/scans/${scanId}/resume` }));
}

/** What is known of an upload; undefined where none has ended. */
export function deliveryOf(
  upload: RecordedUpload | undefined,
  isOpen: boolean,
): Delivery | undefined {
  if (upload?.isOpen === true && !isOpen) return CUT_OFF;
  return upload?.last;
}

/**
 * A warning about an upload whose outcome is unknown, in one line: which document, which system, what to search for there, and what to
 * do if it is not there. None where the profile no longer has the destination.
 */
export function doubtWarnings(
  { scan_id, settings }: Pick<ScanRecord, 'scan_id' | 'settings'>,
  document: FinishedDocument,
  destination: number,
): string[] {
  const { base_url } = settings.destinations[destination] ?? {};
  if (base_url === undefined) return [];
  const filename = safeFileName(uploadName(scan_id, document));
  const title = safeTitle(document.title);
  const facts = {
    system: endpointOf(base_url)?.name ?? 'the destination',
    document: filename,
    filename,
    body: '{"resend_unknown": true}',
    path: `/scans/${scan_id}/resume`,
  };
  if (title === undefined) return [warning('outcome_unknown/untitled', facts)];
  return [warning('outcome_unknown', { ...facts, title })];
}
