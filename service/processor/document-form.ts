import { openAsBlob } from 'node:fs';
import { access } from 'node:fs/promises';
import path from 'node:path';
import { FormDataEncoder } from 'form-data-encoder';

export interface DocumentForm {
  readonly headers: Readonly<Record<string, string>>;
  /** Read from disk bit by bit; each call begins anew. */
  readonly body: () => AsyncIterable<Uint8Array>;
}

/** The multipart form that asks for a document: its options and its pages in order. Rejects when a page cannot be read. */
export async function createDocumentForm(
  pageFiles: readonly string[],
  options: object,
): Promise<DocumentForm> {
  const form = new FormData();
  form.append('options', JSON.stringify(options));
  for (const file of pageFiles) {
    // It says why a file cannot be read; openAsBlob does not.
    await access(file);
    form.append('page', await openAsBlob(file, { type: 'application/pdf' }), path.basename(file));
  }
  const encoder = new FormDataEncoder(form);
  return { headers: { ...encoder.headers }, body: () => encoder.encode() };
}
