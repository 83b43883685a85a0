import { mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join, parse } from 'node:path';
import type { ReceivedFile } from './bodies.ts';
import type { UploadForm } from './fields.ts';
import { withParents, type SampleObject } from './objects.ts';
import type { Release } from './options.ts';

/** Stored as `<id>.pdf`, and as `<id>.json` with these fields. */
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

export interface Submission {
  readonly file: ReceivedFile;
  readonly form: UploadForm;
}

export interface Library {
  readonly documents: () => readonly StoredDocument[];
  /** Processes an upload like the worker. Throws the failure that the task reports. */
  readonly consume: (submission: Submission) => Promise<StoredDocument>;
}

/** In code points. The rest of a title is cut off silently. */
const TITLE_CODE_POINTS = 127;

/** Longest file name on Linux file systems. */
const MAX_NAME_BYTES = 255;

/** Opens the store in `directory`, with the documents of earlier runs. */
export async function openLibrary(
  directory: string,
  release: Pick<Release, 'refuses_duplicates'>,
  tags: readonly SampleObject[],
): Promise<Library> {
  await mkdir(directory, { recursive: true });
  const stored = await readStored(directory);
  const consume = async (submission: Submission): Promise<StoredDocument> => {
    const title = check(submission, stored, release);
    const id = Math.max(0, ...stored.map((document) => document.id)) + 1;
    const name = String(id).padStart(7, '0');
    const { form } = submission;
    const { path: received, filename, bytes, md5, sha256 } = submission.file;
    const document: StoredDocument = {
      ...form,
      id,
      title,
      created: form.created ?? new Date().toISOString().slice(0, 10),
      // A tag implies its parents.
      tags: [...new Set(form.tags.flatMap((tag) => withParents(tag, tags)))],
      original_file_name: filename,
      path: join(directory, `${name}.pdf`),
      bytes,
      md5,
      sha256,
      added: new Date().toISOString(),
    };
    stored.push(document);
    await rename(received, document.path);
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
  return (await Promise.all(texts)).map((text) => JSON.parse(text) as StoredDocument);
}

/** The title of a document. Throws the failure if the real worker would not store it. */
function check(
  {
    file: { filename: name, md5, head, tail },
    form: { title, archive_serial_number: serial },
  }: Submission,
  stored: readonly StoredDocument[],
  release: Pick<Release, 'refuses_duplicates'>,
): string {
  const twin = stored.find((document) => release.refuses_duplicates && document.md5 === md5);
  if (twin) throw new Error(`${name}: It is a duplicate of ${twin.title} (#${twin.id}).`);
  if (serial !== undefined && stored.some((one) => one.archive_serial_number === serial)) {
    throw new Error(`${name}: Not consuming ${name}: Given ASN ${serial} already exists!`);
  }
  if (Buffer.byteLength(name) > MAX_NAME_BYTES) throw new Error('[Errno 36] File name too long');
  const failed = `${name}: Error occurred while consuming document ${name}`;
  // The real system expands Jinja templates. Here, any template delimiter fails as the worst
  // template would.
  if (/\{[{%#]/.test(title ?? ''))
    throw new Error(`${failed}: 'NoneType' object is not subscriptable`);
  // A truncated PDF stands for all files that OCRmyPDF cannot read.
  const isCut = head.includes('%PDF-') && !tail.includes('%%EOF');
  if (isCut) throw new Error(`${failed}: InputFileError: `);
  return Array.from(title ?? parse(name).name)
    .slice(0, TITLE_CODE_POINTS)
    .join('');
}
