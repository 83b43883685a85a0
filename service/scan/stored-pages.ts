import { lstat, readdir } from 'node:fs/promises';
import path from 'node:path';
import { readTiff } from '../../helpers/tiff-header.ts';
import { pageNumber } from '../archive/file-names.ts';

/** A page that lies in a scan directory, whole. */
export interface StoredPage {
  readonly number: number;
  readonly filename: string;
}

export interface StoredPages {
  /** In page order. */
  readonly pages: readonly StoredPage[];
  /** What a person should know of those that cannot be used. */
  readonly warnings: readonly string[];
  /** Highest number that a page has or had, whole or not; 0 where there is none. New ones are numbered after it. */
  readonly last: number;
}

/**
 * The pages of a scan that are on disk and whole. `expected` are those its record names: one that is gone is told. A page
 * that the record does not name yet counts too: the service may have been killed before it could write it down.
 */
export async function findStoredPages(
  directory: string,
  expected: readonly string[],
): Promise<StoredPages> {
  const names = (await readdir(directory)).filter((name) => pageNumber(name) !== undefined);
  const pages: StoredPage[] = [];
  const warnings = expected
    .filter((name) => !names.includes(name))
    .map((name) => `${name} is no longer on disk`);
  for (const filename of names.toSorted()) {
    const problem = await problemOf(path.join(directory, filename));
    if (problem === undefined) pages.push({ number: pageNumber(filename) ?? 0, filename });
    else warnings.push(`${filename} is left out, it is not whole: ${problem}`);
  }
  const numbers = [...names, ...expected].map((name) => pageNumber(name) ?? 0);
  return { pages, warnings, last: Math.max(0, ...numbers) };
}

/** What is wrong with a page's file; undefined when it can be used. A truncated one is what a power cut may leave. */
async function problemOf(file: string): Promise<string | undefined> {
  try {
    if (!(await lstat(file)).isFile()) return 'it is no plain file';
    const reading = await readTiff(file);
    return reading.complete ? undefined : reading.reason;
  } catch (error) {
    return error instanceof Error ? error.message : 'it cannot be read';
  }
}
