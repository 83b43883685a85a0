import type { ScanRecord } from '../../service/archive/scan-record.ts';
import { identityOf } from '../../service/paperless/destination.ts';

export type Kept =
  | 'held'
  | 'not finished'
  | 'not delivered everywhere'
  | 'with pages that are in no document'
  | 'too young';

/**
 * Why a scan must be kept, or undefined. It may be removed if it has finished, every destination
 * has accepted every document, no upload is uncertain, and nothing has changed since `before`.
 */
export function whyKept(
  record: ScanRecord,
  { changedAt, before }: { readonly changedAt: Date; readonly before: Date },
): Kept | undefined {
  if (record.state === 'held') return 'held';
  if (record.state !== 'finished' || record.ended_at === null) return 'not finished';
  if (!isDelivered(record)) return 'not delivered everywhere';
  return new Date(record.ended_at) < before && changedAt < before ? undefined : 'too young';
}

function isDelivered({ documents, settings }: ScanRecord): boolean {
  if (documents.length === 0 || settings.destinations.length === 0) return false;
  const identities = settings.destinations.map(identityOf);
  return documents.every(({ file, uploads }) => {
    const isAccepted = (identity: string): boolean =>
      uploads[identity]?.last?.outcome === 'accepted';
    const isInDoubt = Object.values(uploads).some(
      ({ isOpen, last }) => isOpen || last?.outcome === 'unknown',
    );
    return file !== undefined && !isInDoubt && identities.every(isAccepted);
  });
}
