import { Failure } from '../../../helpers/failure.ts';
import type { DocumentMetadata } from '../../paperless/destination.ts';
import type { Profile } from '../../profiles/profile.ts';

/** Throws Failure `invalid_body` if several documents might get the same serial number. */
export function checkSerialNumber(profile: Profile, metadata: DocumentMetadata): void {
  const isOneDocument = profile.assembly.page_grouping === 'combined';
  if (metadata.archive_serial_number === undefined || isOneDocument) return;
  const expected =
    `"archive_serial_number" needs a profile that makes one document of a stack, and "${profile.name}" ` +
    `groups pages ${profile.assembly.page_grouping}`;
  throw new Failure('invalid_body', `The request is not valid: ${expected}.`, {
    facts: { fields: [{ field: 'archive_serial_number', expected }] },
  });
}
