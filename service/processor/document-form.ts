import path from 'node:path';
import {
  createMultipartForm,
  type FormField,
  type MultipartForm,
} from '../streaming/multipart-form.ts';
import { lookAtFile } from '../streaming/stored-content.ts';

/** The multipart form that asks for a document: its options and its pages in order. Rejects when a page is not there. */
export async function createDocumentForm(
  pageFiles: readonly string[],
  options: object,
): Promise<MultipartForm> {
  const pages = await Promise.all(
    pageFiles.map(async (file): Promise<FormField> => [
      'page',
      { name: path.basename(file), content: await lookAtFile(file) },
    ]),
  );
  return createMultipartForm([['options', JSON.stringify(options)], ...pages]);
}
