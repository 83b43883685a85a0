import type { DmsDestination, DocumentMetadata } from './destination.ts';

/** The metadata for one destination: the request's before the profile's; tags of both, each once. */
export function mergeMetadata(
  destination: DmsDestination,
  requested: DocumentMetadata,
): DocumentMetadata {
  return {
    ...requested,
    tags: [...new Set([...(destination.tags ?? []), ...(requested.tags ?? [])])],
    correspondent: requested.correspondent ?? destination.correspondent,
    document_type: requested.document_type ?? destination.document_type,
    storage_path: requested.storage_path ?? destination.storage_path,
  };
}
