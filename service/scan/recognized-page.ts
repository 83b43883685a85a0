import Joi from 'joi';
import { access, mkdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { syncDirectory, writeAtomically } from '../storage/write-atomically.ts';
import type { StoredPage } from './stored-pages.ts';

/** Where the recognised pages are kept until their documents are assembled, inside the scan directory. */
export const RECOGNIZED_DIRECTORY = 'recognized';

/** A page that went through OCR: a one-page searchable PDF in the scan directory. */
export interface RecognizedPage {
  readonly number: number;
  readonly file: string;
  readonly warnings: readonly string[];
}

/** Tells a raw page from another one that has its name later. */
export interface PageStamp {
  readonly bytes: number;
  /** Milliseconds since 1970. */
  readonly modified_at: number;
}

interface Note {
  readonly warnings: readonly string[];
  readonly page: PageStamp;
}

const NOTE_SCHEMA = Joi.object<Note>({
  warnings: Joi.array().items(Joi.string().allow('')).required(),
  page: Joi.object({
    bytes: Joi.number().required(),
    modified_at: Joi.number().required(),
  }).required(),
}).prefs({ convert: false });

/** Makes the directory for recognised pages, so that it survives a power cut. */
export async function prepareRecognized(directory: string): Promise<void> {
  await mkdir(path.join(directory, RECOGNIZED_DIRECTORY), { recursive: true });
  await syncDirectory(directory);
}

/** Where the recognised page goes. */
export function recognizedFile(directory: string, page: StoredPage): string {
  return path.join(directory, RECOGNIZED_DIRECTORY, page.filename.replace(/\.tif$/, '.pdf'));
}

/** The stamp of a raw page as it is now, to be taken before it is recognised; undefined when it is not there. */
export async function stampOf(directory: string, page: StoredPage): Promise<PageStamp | undefined> {
  const found = await stat(path.join(directory, page.filename)).catch(() => undefined);
  return found && { bytes: found.size, modified_at: found.mtimeMs };
}

/** Notes that the page's file is whole, with its warnings: only then may it be used when the scan is picked up. */
export async function noteRecognized(page: RecognizedPage, stamp: PageStamp): Promise<void> {
  const note: Note = { warnings: page.warnings, page: stamp };
  await writeAtomically(noteFile(page.file), `${JSON.stringify(note)}\n`);
}

/**
 * The page as an earlier call of this scan recognised it; undefined when it did not, or not to the end, or when the raw page
 * is another one by now.
 */
export async function findRecognized(
  directory: string,
  page: StoredPage,
): Promise<RecognizedPage | undefined> {
  const file = recognizedFile(directory, page);
  try {
    const { value, error } = NOTE_SCHEMA.validate(
      JSON.parse(await readFile(noteFile(file), 'utf8')),
    );
    const stamp = await stampOf(directory, page);
    if (error || !isDeepStrictEqual(value.page, stamp)) return undefined;
    await access(file);
    return { number: page.number, file, warnings: value.warnings };
  } catch {
    return undefined;
  }
}

function noteFile(file: string): string {
  return file.replace(/\.pdf$/, '.json');
}
