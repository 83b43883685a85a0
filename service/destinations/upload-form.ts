import { createHash } from 'node:crypto';
import { encodeForm, type MultipartForm } from '../http-client/multipart-form.ts';
import { openStoredFile } from '../http-client/stored-file.ts';
import type { DocumentFile, DocumentMetadata } from './destination.ts';
import { safeFileName } from './file-name.ts';
import { safeTitle } from './title.ts';

/**
 * The multipart form that uploads a document. Its Content-Length is exact: a chunked body is an empty form to Paperless-ngx.
 *
 * Throws when the file cannot be read, or is not the one that was recorded. Reading the body throws when the file has
 * changed since.
 */
export async function createUploadForm(
  document: DocumentFile,
  metadata: DocumentMetadata,
): Promise<MultipartForm> {
  const name = safeFileName(document.filename);
  const file = await openStoredFile(document.path, { type: 'application/pdf', name });
  await checkContent(file, document);
  const form = new FormData();
  appendFields(form, metadata);
  form.append('document', file);
  return encodeForm(form);
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

/** Appends a field per tag, custom fields as JSON, and nothing for what is undefined. */
function appendFields(form: FormData, metadata: DocumentMetadata): void {
  const { custom_fields: custom, tags = [] } = metadata;
  const single = {
    title: safeTitle(metadata.title),
    created: metadata.created,
    correspondent: metadata.correspondent,
    document_type: metadata.document_type,
    storage_path: metadata.storage_path,
    archive_serial_number: metadata.archive_serial_number,
    custom_fields: custom === undefined ? undefined : JSON.stringify(custom),
  };
  for (const tag of tags) form.append('tags', String(tag));
  for (const [name, value] of Object.entries(single)) {
    if (value !== undefined) form.append(name, String(value));
  }
}
