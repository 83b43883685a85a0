import { cause } from '../paperless/causes.ts';
import { warning } from '../../helpers/warnings.ts';
import { addressIn, identityOf, refused, type Delivery } from '../paperless/destination.ts';
import { endpointOf } from '../paperless/endpoint.ts';
import { safeFileName } from '../paperless/upload/file-name.ts';
import { safeTitle } from '../paperless/upload/title.ts';
import { uploadName } from './file-names.ts';
import type { FinishedDocument, ScanRecord } from './scan-record.ts';
import {
  decideUpload,
  DEFAULT_REDELIVERY,
  deliveryOf,
  removedDestinations,
} from './upload-decision.ts';

/** Placeholder for an upload that did not begin, although one to a later destination did. */
const NOT_BEGUN: Delivery = {
  entry: { status: 'failed', error: cause('not_begun', {}) },
  outcome: 'refused',
};

/**
 * Returns one delivery per destination in profile order, up to the last destination with an upload.
 * `isOpen`: true while a call works on the scan; an upload without an end is then in progress.
 */
export function deliveriesOf(
  document: Pick<FinishedDocument, 'filename' | 'uploads'>,
  identities: readonly string[],
  { scan_id, isOpen }: Pick<ScanRecord, 'scan_id'> & { readonly isOpen: boolean },
): Delivery[] {
  const known = identities.map((identity) => {
    const decided = decideUpload({
      identity,
      identities,
      document,
      redelivery: DEFAULT_REDELIVERY,
    });
    if (decided.kind === 'keep' && decided.reason === 'left_system') {
      return withheldDelivery(scan_id, removedDestinations(identities, document));
    }
    return deliveryOf(document.uploads[identity], isOpen);
  });
  const served = known.findLastIndex((delivery) => delivery !== undefined) + 1;
  return known.slice(0, served).map((delivery) => delivery ?? NOT_BEGUN);
}

/**
 * Reports that a document was not sent, because a destination that may have it was removed from the
 * profile.
 */
export function withheldDelivery(scanId: string, left: readonly string[]): Delivery {
  const systems = [...new Set(left.map(addressIn))].join(' and ');
  const body = '{"add_destinations": true}';
  return refused(cause('left_system', { systems, body, path: `/scans/${scanId}/resume` }));
}

/**
 * Tells the user what to search for after an upload of unknown outcome. Empty if the profile no
 * longer has the destination.
 */
export function unknownOutcomeWarnings(
  { scan_id, settings }: Pick<ScanRecord, 'scan_id' | 'settings'>,
  document: FinishedDocument,
  destination: number,
): string[] {
  const { base_url } = settings.destinations[destination] ?? {};
  const left = removedDestinations(settings.destinations.map(identityOf), document);
  const wanted = { resend_unknown: true, ...(left.length > 0 && { add_destinations: true }) };
  if (base_url === undefined) return [];
  const filename = safeFileName(uploadName(scan_id, document));
  const title = safeTitle(document.title);
  const facts = {
    system: endpointOf(base_url)?.name ?? 'the destination',
    document: filename,
    filename,
    body: JSON.stringify(wanted).replaceAll(/[:,]/g, '$& '),
    path: `/scans/${scan_id}/resume`,
  };
  if (title === undefined) return [warning('outcome_unknown/untitled', facts)];
  return [warning('outcome_unknown', { ...facts, title })];
}
