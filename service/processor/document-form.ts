import { encodeForm, type MultipartForm } from '../http-client/multipart-form.ts';
import { openStoredFile } from '../http-client/stored-file.ts';

/** The multipart form that asks for a document: its options and its pages in order. Rejects when a page is not there. */
export async function createDocumentForm(
  pageFiles: readonly string[],
  options: object,
): Promise<MultipartForm> {
  const form = new FormData();
  form.append('options', JSON.stringify(options));
  for (const file of pageFiles) {
    form.append('page', await openStoredFile(file, { type: 'application/pdf' }));
  }
  return encodeForm(form);
}
