import { openAsBlob } from 'node:fs';
import { stat } from 'node:fs/promises';
import { FormDataEncoder } from 'form-data-encoder';
import type { DocumentFile, DocumentMetadata } from './destination.ts';
import { safeFileName } from './file-name.ts';
import { safeTitle } from './title.ts';

export interface UploadForm {
  /** Content-Type and an exact Content-Length: a chunked body is an empty form to Paperless-ngx. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body, read from disk bit by bit; each call begins anew. */
  readonly body: () => AsyncIterable<Uint8Array>;
}

/**
 * The multipart form that uploads a document.
 *
 * Throws when the file cannot be read, or has not the size that it was written with. Reading the body throws when the
 * file is changed meanwhile.
 */
export async function createUploadForm(
  document: DocumentFile,
  metadata: DocumentMetadata,
): Promise<UploadForm> {
  const { size } = await stat(document.path);
  if (size !== document.bytes) {
    throw new Error(`its file has ${size} bytes instead of ${document.bytes}`);
  }
  const content = await openAsBlob(document.path, { type: 'application/pdf' });
  const form = new FormData();
  for (const [name, value] of textFields(metadata)) form.append(name, value);
  form.append('document', content, safeFileName(document.filename));
  const encoder = new FormDataEncoder(form);
  return { headers: { ...encoder.headers }, body: () => encoder.encode() };
}

/** The text parts: a field for each tag, JSON for custom fields (Paperless-ngx 2.19 and later), nothing for nothing. */
function textFields(metadata: DocumentMetadata): [string, string][] {
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
  const fields: [string, string][] = tags.map((tag) => ['tags', String(tag)]);
  for (const [name, value] of Object.entries(single)) {
    if (value !== undefined) fields.push([name, String(value)]);
  }
  return fields;
}
