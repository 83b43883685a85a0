import {
  createMultipartForm,
  type FormField,
  type MultipartForm,
} from '../streaming/multipart-form.ts';
import { lookAtFile } from '../streaming/stored-content.ts';
import type { DocumentFile, DocumentMetadata } from './destination.ts';
import { safeFileName } from './file-name.ts';
import { safeTitle } from './title.ts';

/** Its Content-Length is exact: a chunked body is an empty form to Paperless-ngx. */
export type UploadForm = MultipartForm;

/**
 * The multipart form that uploads a document.
 *
 * Throws when the file is not there, or has not the size that it was written with. Reading the body throws when the file
 * cannot be read, or is changed meanwhile.
 */
export async function createUploadForm(
  document: DocumentFile,
  metadata: DocumentMetadata,
): Promise<UploadForm> {
  const content = await lookAtFile(document.path);
  if (content.bytes !== document.bytes) {
    throw new Error(`its file has ${content.bytes} bytes instead of ${document.bytes}`);
  }
  const file = { name: safeFileName(document.filename), content };
  return createMultipartForm([...textFields(metadata), ['document', file]]);
}

/** The text parts: a field for each tag, JSON for custom fields (Paperless-ngx 2.19 and later), nothing for nothing. */
function textFields(metadata: DocumentMetadata): FormField[] {
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
  const fields: FormField[] = tags.map((tag) => ['tags', String(tag)]);
  for (const [name, value] of Object.entries(single)) {
    if (value !== undefined) fields.push([name, String(value)]);
  }
  return fields;
}
