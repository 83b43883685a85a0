import { createHash } from 'node:crypto';
import { encodeForm, type MultipartForm } from '../../http-client/multipart-form.ts';
import { openStoredFile } from '../../http-client/stored-file.ts';
import type {
  DmsDestination,
  DocumentFile,
  DocumentMetadata,
  UploadMetadata,
} from '../destination.ts';
import { safeFileName } from './file-name.ts';
import { safeTitle } from './title.ts';

/** The request overrides the destination; tags are combined. */
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

/**
 * Encodes an upload with a Content-Length: Paperless-ngx reads a chunked body as an empty form.
 * Throws if the file cannot be read or differs from its record. Reading the body throws if the file
 * has changed since.
 */
export async function createUploadForm(
  document: DocumentFile,
  metadata: UploadMetadata,
): Promise<MultipartForm> {
  const name = safeFileName(document.filename);
  const file = await openStoredFile(document.path, { type: 'application/pdf', name });
  await checkContent(file, document);
  const form = metadataForm(metadata);
  form.append('document', file);
  return encodeForm(form);
}

export function metadataForm(metadata: UploadMetadata): FormData {
  const { tags = [], title, custom_fields, ...others } = metadata;
  const form = new FormData();
  for (const tag of tags) form.append('tags', String(tag));
  const fields = {
    title: safeTitle(title),
    ...others,
    custom_fields: custom_fields && JSON.stringify(custom_fields),
  };
  for (const [field, value] of Object.entries(fields)) {
    if (value !== undefined) form.append(field, String(value));
  }
  return form;
}

async function checkContent(file: Blob, recorded: DocumentFile): Promise<void> {
  if (file.size !== recorded.bytes) {
    throw new Error(`its file has ${file.size} bytes instead of ${recorded.bytes}`);
  }
  const hash = createHash('sha256');
  for await (const piece of file.stream()) hash.update(piece);
  if (hash.digest('hex') !== recorded.sha256) {
    throw new Error('its file is not the one that was made (the SHA-256 differs)');
  }
}
