import { createReadStream, type BigIntStats } from 'node:fs';
import { access, constants, stat } from 'node:fs/promises';
import { basename } from 'node:path';

/** Streams a file. If it changes meanwhile, reading fails before the end. */
export async function openStoredFile(
  path: string,
  { type, name = basename(path) }: { readonly type: string; readonly name?: string },
): Promise<File> {
  await access(path, constants.R_OK);
  return new StoredFile(path, await stat(path, { bigint: true }), { type, name });
}

/**
 * Has only `name`, `type`, `size` and `stream()`. A blob of Node's `openAsBlob` stays open if it is
 * not read to the end: 300 rejected uploads left 300 descriptors open.
 */
class StoredFile extends File {
  override readonly size: number;
  readonly #path: string;
  readonly #found: BigIntStats;

  constructor(path: string, found: BigIntStats, options: { type: string; name: string }) {
    super([], options.name, { type: options.type });
    this.size = Number(found.size);
    this.#path = path;
    this.#found = found;
  }

  override stream(): ReturnType<File['stream']> {
    return ReadableStream.from(readUnchanged(this.#path, this.#found));
  }
}

async function* readUnchanged(path: string, found: BigIntStats): AsyncGenerator<Buffer, void> {
  let left = Number(found.size);
  for await (const piece of createReadStream(path)) {
    left -= piece.length;
    if (left <= 0) await checkUnchanged(path, found);
    yield piece;
  }
  if (left > 0) throw changed(path);
}

async function checkUnchanged(path: string, found: BigIntStats): Promise<void> {
  if (stampOf(await stat(path, { bigint: true })) !== stampOf(found)) throw changed(path);
}

function changed(path: string): Error {
  return new Error(`${path} changed while it was being sent`);
}

function stampOf({ dev, ino, size, mtimeNs }: BigIntStats): string {
  return [dev, ino, size, mtimeNs].join(' ');
}
