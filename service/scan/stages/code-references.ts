import { warning } from '../../../helpers/warnings.ts';
import { isDeepStrictEqual } from 'node:util';
import type { DmsDestination, DocumentMetadata, Reference } from '../../paperless/destination.ts';
import type { Names } from '../../paperless/names/names.ts';
import type { MetadataField } from '../../paperless/names/problems.ts';

export interface UsableCodes {
  readonly metadata: DocumentMetadata;
  readonly warnings: readonly string[];
}

/**
 * Drops names read from codes if the system does not have them, with a warning, since a misprint
 * must not block the document. Keeps names that cannot be looked up now.
 */
export async function usableCodes(
  codes: DocumentMetadata,
  destination: DmsDestination,
  names: Pick<Names, 'check'>,
): Promise<UsableCodes> {
  const { tags, correspondent, document_type } = codes;
  const named = { tags, correspondent, document_type };
  if (Object.values(named).every((value) => value === undefined)) {
    return { metadata: codes, warnings: [] };
  }
  const checked = await names.check(destination, named);
  const problems = checked.problems.filter(({ kind }) => kind !== 'unavailable');
  const isUsable = (field: MetadataField, value: Reference | undefined): boolean =>
    !problems.some((one) => one.field === field && (one.value === value || one.value === ''));
  const metadata = {
    ...codes,
    tags: tags?.filter((tag) => isUsable('tags', tag)),
    correspondent: isUsable('correspondent', correspondent) ? correspondent : undefined,
    document_type: isUsable('document_type', document_type) ? document_type : undefined,
  };
  const warnings = problems.map(({ message }) => warning('code_unknown', { cause: message }));
  if (isDeepStrictEqual(metadata, { ...codes, ...named })) return { metadata, warnings };
  // A check that finds problems may skip its test upload, so the rest is checked again.
  const rest = await usableCodes(metadata, destination, names);
  return { ...rest, warnings: [...warnings, ...rest.warnings] };
}
