import { mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join, parse } from 'node:path';
import type { UploadForm } from './fields.ts';
import { isTruncatedPdf } from './media-type.ts';
import type { ReceivedFile } from './multipart.ts';
import type { Release } from './options.ts';
import { renderTitle } from './title.ts';

/** A stored document: the file `<id>.pdf`, and these facts in `<id>.json`. */
export interface StoredDocument extends Omit<UploadForm, 'title'> {
  readonly id: number;
  readonly title: string;
  readonly original_file_name: string;
  readonly path: string;
  readonly bytes: number;
  readonly md5: string;
  readonly sha256: string;
  readonly added: string;
}

/** An upload that passed validation and waits for the worker. */
export interface Submission {
  readonly file: ReceivedFile;
  readonly mediaType: string;
  readonly form: UploadForm;
}

export interface Library {
  readonly documents: () => readonly StoredDocument[];
  /** The work of the worker. Throws the failure that the task reports. */
  readonly consume: (submission: Submission) => Promise<StoredDocument>;
}

/** Thrown for a document that is already stored. */
export class DuplicateError extends Error {
  readonly twin: StoredDocument;

  constructor(message: string, twin: StoredDocument) {
    super(message);
    this.twin = twin;
  }
}

/** Longest file name on Linux file systems. */
const MAX_NAME_BYTES = 255;

/** Opens the store in `directory`, with the documents of earlier runs. */
export async function openLibrary(
  directory: string,
  release: Pick<Release, 'refuses_duplicates' | 'title'>,
): Promise<Library> {
  await mkdir(directory, { recursive: true });
  const stored = await readStored(directory);
  const consume = async (submission: Submission): Promise<StoredDocument> => {
    const title = await check(submission, stored, release);
    const id = Math.max(0, ...stored.map((document) => document.id)) + 1;
    const name = String(id).padStart(7, '0');
    const { file, form } = submission;
    const document: StoredDocument = {
      ...form,
      id,
      title,
      created: form.created ?? new Date().toISOString().slice(0, 10),
      original_file_name: file.filename,
      path: join(directory, `${name}.pdf`),
      bytes: file.bytes,
      md5: file.md5,
      sha256: file.sha256,
      added: new Date().toISOString(),
    };
    stored.push(document);
    await rename(file.path, document.path);
    await writeFile(join(directory, `${name}.json`), `${JSON.stringify(document, null, 2)}\n`);
    return document;
  };
  return {
    documents: () => [...stored],
    consume: async (submission) => {
      try {
        return await consume(submission);
      } finally {
        await rm(submission.file.path, { force: true });
      }
    },
  };
}

async function readStored(directory: string): Promise<StoredDocument[]> {
  const names = (await readdir(directory)).filter((name) => /^\d{7}\.json$/.test(name));
  const texts = names.toSorted().map((name) => readFile(join(directory, name), 'utf8'));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our own files
  return (await Promise.all(texts)).map((text) => JSON.parse(text) as StoredDocument);
}

/** The title of the document. Throws the failure that keeps the real worker from storing it. */
async function check(
  { file, form, mediaType }: Submission,
  stored: readonly StoredDocument[],
  release: Pick<Release, 'refuses_duplicates' | 'title'>,
): Promise<string> {
  const name = file.filename;
  const twin = stored.find((document) => document.md5 === file.md5);
  if (release.refuses_duplicates && twin !== undefined) {
    const reason = `Not consuming ${name}: It is a duplicate of ${twin.title} (#${twin.id}).`;
    throw new DuplicateError(`${name}: ${reason}`, twin);
  }
  const fail = (reason: string): never => {
    throw new Error(`${name}: ${reason}`);
  };
  const serial = form.archive_serial_number;
  if (stored.some((one) => serial !== undefined && one.archive_serial_number === serial)) {
    fail(`Not consuming ${name}: Given ASN ${serial} already exists!`);
  }
  if (Buffer.byteLength(name) > MAX_NAME_BYTES) throw new Error('[Errno 36] File name too long');
  if (mediaType === 'application/octet-stream') {
    fail(`Not consuming ${name}: Unsupported mime type ${mediaType}`);
  }
  if (mediaType === 'application/pdf' && (await isTruncatedPdf(file.path))) {
    fail(`Error occurred while consuming document ${name}: InputFileError: `);
  }
  const title = renderTitle(form.title, parse(name).name, release.title);
  if (title.kind === 'crash') {
    return fail(`Error occurred while consuming document ${name}: ${title.message}`);
  }
  return title.title;
}
