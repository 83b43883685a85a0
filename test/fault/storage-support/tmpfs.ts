import { closeSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import path from 'node:path';
import { outputOf } from '../../support/programs.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

/** A file system in memory, of its own and of a fixed size. Needs root, as the set-up of the tests does. */
export interface Tmpfs {
  readonly path: string;
  /** Takes all space but `bytes`, whole pages of it; nothing is left with 0. */
  readonly leave: (bytes: number) => void;
  /** Gives the space back. */
  readonly free: () => void;
  /** Nothing can be changed in it until it is writable again. */
  readonly setReadOnly: (readOnly: boolean) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Tmpfs counts in pages of memory. */
const PAGE_BYTES = 4096;

const CHUNK = Buffer.alloc(1024 * 1024);

/** Mounts it at a temporary path; `size` as mount takes it. */
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
      // Lazily: a service that is taken for dead has files open until this process ends.
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
