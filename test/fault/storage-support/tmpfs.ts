import { closeSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import path from 'node:path';
import { outputOf } from '../../support/programs.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

/** An in-memory file system of fixed size. Needs root. */
export interface Tmpfs {
  readonly path: string;
  /** Fills the file system except for `bytes`, a multiple of a memory page. */
  readonly leave: (bytes: number) => void;
  readonly free: () => void;
  readonly setReadOnly: (readOnly: boolean) => Promise<void>;
  readonly close: () => Promise<void>;
}

const PAGE_BYTES = 4096;

const CHUNK = Buffer.alloc(1024 * 1024);

export async function mountTmpfs(size: string): Promise<Tmpfs> {
  const directory = await temporaryDirectory();
  await run('mount', '-t', 'tmpfs', '-o', `size=${size},mode=755`, 'tmpfs', directory.path);
  const ballast = path.join(directory.path, '.ballast');
  return {
    path: directory.path,
    leave: (bytes) => {
      rmSync(ballast, { force: true });
      const { bavail, bsize } = statfsSync(directory.path);
      const pages = Math.max(0, bavail * bsize - bytes) / PAGE_BYTES;
      fill(ballast, Math.ceil(pages) * PAGE_BYTES);
    },
    free: () => rmSync(ballast, { force: true }),
    setReadOnly: (readOnly) =>
      run('mount', '-o', `remount,${readOnly ? 'ro' : 'rw'}`, directory.path),
    close: async () => {
      // Lazily, because a service that counts as dead keeps files open until this process exits.
      await run('umount', '--lazy', directory.path);
      await directory.remove();
    },
  };
}

function fill(file: string, bytes: number): void {
  const descriptor = openSync(file, 'w');
  try {
    for (let left = bytes; left > 0;) {
      left -= writeSync(descriptor, CHUNK, 0, Math.min(left, CHUNK.length));
    }
  } finally {
    closeSync(descriptor);
  }
}

async function run(file: string, ...args: string[]): Promise<void> {
  await outputOf(file, args, { env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' } });
}
