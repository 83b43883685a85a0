import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';

/** The raw pages of a directory, in order. */
export async function rawPagesIn(directory: string): Promise<string[]> {
  const names = (await readdir(directory)).filter((name) => /^page-\d{4}\.tif$/.test(name));
  return names.toSorted().map((name) => path.join(directory, name));
}

/** SHA-256 of each file: two sides that were given the same pages have the same ones. */
export async function hashesOf(files: readonly string[]): Promise<string[]> {
  const hashes: string[] = [];
  for (const file of files) {
    const hash = createHash('sha256');
    await pipeline(createReadStream(file), hash);
    hashes.push(hash.digest('hex'));
  }
  return hashes;
}
