import { lstat, open, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { Failure } from '../failure.ts';

/**
 * Left free beside the page that is next: the documents are made in the same place, and a file system that is filled to
 * its last block truncates files of others too.
 */
export const RESERVE_BYTES = 64 * 1024 * 1024;

const PAGE_NAME = /^page-(?<number>\d+)\.tif(?:\.part)?$/u;

/** Name of a page's file as scanimage makes it from the pattern `page-%04d.tif`. */
export function pageName(number: number): string {
  return `page-${String(number).padStart(4, '0')}.tif`;
}

/**
 * Makes sure that pages can be written, before a sheet is fed: scanimage finds out only when the first one has moved.
 * Throws `Failure('scanner_error')` for a directory that is missing, no real directory, not writable, or has a page
 * where the scan would write one.
 */
export async function checkScanDirectory(directory: string, firstPage: number): Promise<void> {
  const found = path.isAbsolute(directory)
    ? await lstat(directory).catch(() => undefined)
    : undefined;
  if (!found?.isDirectory()) {
    const advice =
      'Give the service and the scanner runtime the same output directory at the same path.';
    throw new Failure('scanner_error', `The scan directory ${directory} is missing. ${advice}`);
  }
  try {
    await tryToWrite(directory);
  } catch (cause) {
    const advice = 'Allow the user of the scanner runtime to write there.';
    const message = `The scanner runtime cannot write into the scan directory ${directory}. ${advice}`;
    throw new Failure('scanner_error', message, { cause });
  }
  const taken = (await pagesIn(directory)).filter((page) => page.number >= firstPage);
  const [first] = taken.filter(({ name }) => !name.endsWith('.part'));
  if (first) {
    const message = `The scan would overwrite ${first.name} in the scan directory ${directory}. Scan into a new directory.`;
    throw new Failure('scanner_error', message);
  }
}

/** Permissions alone do not decide: file systems are mounted read-only, and network ones have rules of their own. */
async function tryToWrite(directory: string): Promise<void> {
  const probe = path.join(directory, `.scanner-runtime-${process.pid}`);
  await (await open(probe, 'w')).close();
  await rm(probe);
}

/**
 * Removes the halves of pages that a killed scanimage leaves, and returns their numbers; a directory that is gone has
 * none.
 */
export async function removeUnfinished(directory: string): Promise<number[]> {
  const pages = await pagesIn(directory).catch(() => []);
  const halves = pages.filter(({ name }) => name.endsWith('.part'));
  for (const { name } of halves) await rm(path.join(directory, name), { force: true });
  return halves.map(({ number }) => number);
}

async function pagesIn(directory: string): Promise<{ name: string; number: number }[]> {
  const names = await readdir(directory);
  return names.flatMap((name) => {
    const number = PAGE_NAME.exec(name)?.groups?.['number'];
    return number === undefined ? [] : [{ name, number: Number(number) }];
  });
}

/** Returns when the file and its name are on disk for good. */
export async function syncToDisk(directory: string, filename: string): Promise<void> {
  await sync(path.join(directory, filename));
  await sync(directory);
}

async function sync(target: string): Promise<void> {
  const handle = await open(target);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
