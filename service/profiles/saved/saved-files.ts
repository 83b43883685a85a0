import { createHash } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { errorCode, isMissing, isTransient } from '../../../helpers/error-code.ts';
import { readPlainFile, UnreadableFile } from '../../../helpers/plain-file.ts';
import { makeDirectory } from '../../storage/make-directory.ts';
import { syncDirectory, TEMPORARY_FILE, writeAtomically } from '../../storage/write-atomically.ts';
import { PROFILE_NAME } from '../schema.ts';
import { savedProfileSchema, type SavedProfile } from './saved-profile.ts';

export interface SavedButton {
  readonly name: string;
  readonly revision: string;
  /** The problem, if the file cannot be read. */
  readonly saved: SavedProfile | string;
  readonly isTransient?: boolean;
}

/** The request that saves a button has at most 64 KB. The file is indented, so it is longer. */
const MAX_FILE_BYTES = 128 * 1024;

const ENDING = '.json';
const REVISION_DIGITS = 16;

/** Returns nothing if the directory is missing. Rejects if it cannot be read. */
export async function readButtons(directory: string): Promise<SavedButton[]> {
  const files = await readdir(directory).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
  const names = files
    .filter((file) => file.endsWith(ENDING))
    .map((file) => file.slice(0, -ENDING.length))
    .filter((name) => PROFILE_NAME.test(name));
  const buttons: SavedButton[] = [];
  for (const name of names.toSorted()) buttons.push(await readButton(directory, name));
  return buttons;
}

async function readButton(directory: string, name: string): Promise<SavedButton> {
  const file = fileOf(directory, name);
  try {
    // Somebody may have put a pipe or a link here.
    const text = await readPlainFile(file, MAX_FILE_BYTES, { follow: false });
    return { name, revision: revisionOf(text), saved: parseButton(text) };
  } catch (error) {
    const code = errorCode(error) ?? 'unknown error';
    const isOther = error instanceof UnreadableFile || code === 'ELOOP';
    const saved = isOther ? 'The file is no saved profile.' : `The file cannot be read (${code}).`;
    return { name, revision: '', saved, isTransient: isTransient(error) };
  }
}

function parseButton(text: string): SavedProfile | string {
  try {
    const given: unknown = JSON.parse(text);
    const { value, error } = savedProfileSchema.validate(given, { convert: false });
    return error ? `${error.message}.` : value;
  } catch {
    return 'The file is not JSON.';
  }
}

/** Writes atomically and durably. Returns the new revision. */
export async function writeButton(directory: string, name: string, saved: object): Promise<string> {
  await makeDirectory(directory);
  await removeLeftovers(directory);
  const text = textOf(saved);
  await writeAtomically(fileOf(directory, name), text, 0o640);
  return revisionOf(text);
}

export async function removeButton(directory: string, name: string): Promise<void> {
  await rm(fileOf(directory, name), { force: true });
  await syncDirectory(directory);
}

async function removeLeftovers(directory: string): Promise<void> {
  const files = (await readdir(directory)).filter((file) => TEMPORARY_FILE.test(file));
  for (const file of files) await rm(path.join(directory, file), { force: true });
}

export function revisionFor(saved: object): string {
  return revisionOf(textOf(saved));
}

function textOf(saved: object): string {
  return `${JSON.stringify(saved, null, 2)}\n`;
}

export function revisionOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, REVISION_DIGITS);
}

function fileOf(directory: string, name: string): string {
  return path.join(directory, `${name}${ENDING}`);
}
