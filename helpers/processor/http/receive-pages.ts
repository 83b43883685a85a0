import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy';
import { createWriteStream } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { receive, type ReceiveOptions } from './receive-body.ts';
import { Failure } from '../../failure.ts';
import { LAST_PAGE_NUMBER } from '../../page-names.ts';
import type { DocumentOptions } from '../../processor-contract.ts';
import { readDocumentOptions } from './request-options.ts';

const MAX_OPTIONS_BYTES = 16_384;

export interface ReceivedPages {
  readonly pdfs: readonly string[];
  readonly options: DocumentOptions;
}

/**
 * Reads a form with a part `options` (JSON) and `page` parts, which are stored in `directory`, in
 * order. Throws Failure `invalid_body` with the expected form.
 */
export async function receivePages(
  request: IncomingMessage,
  directory: string,
  { mostPages = LAST_PAGE_NUMBER, ...options }: ReceiveOptions & { readonly mostPages?: number },
): Promise<ReceivedPages> {
  const form = openForm(request, mostPages);
  const files = new AbortController();
  const fields: string[] = [];
  const pdfs: string[] = [];
  const written: Promise<void>[] = [];

  form.on('field', (name, value, _isNameCut, isCut) => {
    if (name !== 'options') refuse(form, `a part "${name}"; expected "options" and "page"`);
    if (isCut) refuse(form, `the part "options" has more than ${MAX_OPTIONS_BYTES} bytes`);
    fields.push(value);
  });
  form.on('file', (...[name, stream, , , type]) => {
    if (name !== 'page' || type !== 'application/pdf') {
      refuse(form, `a file "${name}" of type ${type}; expected "page" of type application/pdf`);
    }
    const file = path.join(directory, `page-${String(pdfs.length + 1).padStart(4, '0')}.pdf`);
    const done = writePage(stream, file, files.signal);
    done.catch((error: unknown) => void form.destroy(toError(error)));
    pdfs.push(file);
    written.push(done);
  });
  form.on('filesLimit', () => refuse(form, `more than ${mostPages} parts "page"`));
  form.on('fieldsLimit', () => refuse(form, 'more than one part "options"'));

  try {
    await receive(request, form, options);
    await Promise.all(written);
  } catch (error) {
    files.abort();
    await Promise.allSettled(written);
    throw isFormError(error) ? unreadableForm(error) : error;
  }
  const [text] = fields;
  if (text === undefined) throw new Failure('invalid_body', 'the part "options" is missing');
  if (pdfs.length === 0) throw new Failure('invalid_body', 'there is no part "page"');
  return { pdfs, options: readDocumentOptions(text) };
}

function openForm(request: IncomingMessage, mostPages: number): BusboyInstance {
  try {
    return Busboy({
      headers: { ...request.headers, 'content-type': request.headers['content-type'] ?? '' },
      limits: { files: mostPages, fields: 1, fieldSize: MAX_OPTIONS_BYTES },
    });
  } catch (error) {
    throw unreadableForm(toError(error));
  }
}

function writePage(stream: BusboyFileStream, file: string, signal: AbortSignal): Promise<void> {
  return pipeline(stream, createWriteStream(file, { mode: 0o600 }), { signal });
}

function refuse(form: BusboyInstance, message: string): void {
  form.destroy(new Failure('invalid_body', message));
}

function unreadableForm(error: Error): Failure {
  return new Failure('invalid_body', `the form cannot be read: ${error.message}`, { cause: error });
}

/** Busboy's own errors have no code, unlike those of files and connections. */
function isFormError(error: unknown): error is Error {
  return error instanceof Error && !('code' in error);
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
