import { warning } from '../../helpers/warnings.ts';
import { askDms } from './ask-dms.ts';
import type { DmsDestination, DocumentMetadata } from './destination.ts';
import type { AccessTo } from './dms.ts';
import { systemOf } from './endpoint.ts';

/** Metadata that a system can take, and what was left out of them. */
export interface FreeSerialNumber {
  readonly metadata: DocumentMetadata;
  readonly warning: string | undefined;
}

/**
 * Leaves out an archive serial number that another document of the system has: Paperless-ngx accepts the upload, and its task fails
 * later. A number of which nothing can be known stays, because the user of the token may not view documents, or the system does
 * not answer. Never rejects.
 */
export async function withFreeSerialNumber(
  metadata: DocumentMetadata,
  destination: DmsDestination,
  { accessTo, signal }: { readonly accessTo: AccessTo; readonly signal: AbortSignal },
): Promise<FreeSerialNumber> {
  const { archive_serial_number: number, ...rest } = metadata;
  if (number === undefined) return { metadata, warning: undefined };
  const access = await accessTo(destination, signal).catch(() => undefined);
  const query = `archive_serial_number=${number}&fields=id,archive_serial_number&page_size=1`;
  const answer = access && (await askDms(access, `/api/documents/?${query}`));
  const { results }: { results?: unknown } = Object(answer?.kind === 'value' && answer.value);
  const found: unknown = Array.isArray(results) ? results[0] : undefined;
  const { id, archive_serial_number: theirs }: Record<string, unknown> = Object(found);
  if (theirs !== number) return { metadata, warning: undefined };
  const facts = { id: Number(id), system: systemOf(destination), number };
  return { metadata: rest, warning: warning('serial_number_in_use', facts) };
}
