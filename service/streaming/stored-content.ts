import { access, constants, open, stat, type FileHandle } from 'node:fs/promises';

/** A file that is to be sent, as it was when it was looked at. */
export interface StoredContent {
  readonly path: string;
  readonly bytes: number;
  /** Differs for another file of that name, and for one that was written to since. */
  readonly stamp: string;
}

/** What is left of something that is read once. Whoever has it closes it. */
export interface ContentReader {
  /** Reads on into `target`, as much as there is and fits; how many bytes these are. */
  fill(target: Uint8Array): Promise<number>;
  readonly isAtEnd: () => boolean;
  close(): Promise<void>;
}

/** Looks at a file that is to be sent; rejects with what the file system says when it cannot be read. */
export async function lookAtFile(path: string): Promise<StoredContent> {
  await access(path, constants.R_OK);
  const found = await stat(path, { bigint: true });
  return { path, bytes: Number(found.size), stamp: stampOf(found) };
}

/** Opens a file to be read once; `fill` rejects when it is not what it was, before the last of it is handed on. */
export async function openContent(content: StoredContent): Promise<ContentReader> {
  const handle = await open(content.path);
  let position = 0;
  return {
    fill: async (target) => {
      const length = Math.min(target.length, content.bytes - position);
      const { bytesRead } = await handle.read(target, 0, length, position);
      position += bytesRead;
      if (bytesRead === 0) throw changed(content);
      if (position === content.bytes) await checkUnchanged(handle, content);
      return bytesRead;
    },
    isAtEnd: () => position === content.bytes,
    close: () => handle.close(),
  };
}

async function checkUnchanged(handle: FileHandle, content: StoredContent): Promise<void> {
  if (stampOf(await handle.stat({ bigint: true })) !== content.stamp) throw changed(content);
}

function changed({ path }: StoredContent): Error {
  return new Error(`${path} was changed while it was sent`);
}

function stampOf(stats: Readonly<Record<'dev' | 'ino' | 'size' | 'mtimeNs', bigint>>): string {
  return [stats.dev, stats.ino, stats.size, stats.mtimeNs].join(' ');
}
