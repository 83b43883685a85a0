import { warning } from '../../helpers/warnings.ts';
import { askDms, type AccessTo } from './ask-dms.ts';
import { identityOf, type DmsDestination, type DocumentMetadata } from './destination.ts';
import { systemOf } from './endpoint.ts';

export interface FreeSerialNumber {
  readonly metadata: DocumentMetadata;
  readonly warning: string | undefined;
}

/** Removes a serial number that another document already has. Never rejects. */
export type FreeSerialNumbers = (
  metadata: DocumentMetadata,
  destination: DmsDestination,
) => Promise<FreeSerialNumber>;

/**
 * Paperless-ngx accepts an upload with a used number, but its task fails later. Keeps a number that
 * cannot be checked. Asks a silent system only once per scan, to save time.
 */
export function createFreeSerialNumbers(
  accessTo: AccessTo,
  signal: AbortSignal,
): FreeSerialNumbers {
  const silent = new Set<string>();
  return async (metadata, destination) => {
    const { archive_serial_number: number, ...rest } = metadata;
    const identity = identityOf(destination);
    if (number === undefined || silent.has(identity)) return { metadata, warning: undefined };
    const access = await accessTo(destination, signal).catch(() => undefined);
    const query = `archive_serial_number=${number}&fields=id,archive_serial_number&page_size=1`;
    const answer = access && (await askDms(access, `/api/documents/?${query}`));
    if (answer?.kind !== 'value') {
      silent.add(identity);
      return { metadata, warning: undefined };
    }
    const { results }: { results?: unknown } = Object(answer.value);
    const found: unknown = Array.isArray(results) ? results[0] : undefined;
    const { id, archive_serial_number: theirs }: Record<string, unknown> = Object(found);
    if (theirs !== number || !Number.isSafeInteger(id)) return { metadata, warning: undefined };
    const facts = { id: Number(id), system: systemOf(destination), number };
    return { metadata: rest, warning: warning('serial_number_in_use', facts) };
  };
}
