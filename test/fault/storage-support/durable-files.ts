import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Around } from './file-operations.ts';

/** What a disk is sure to have of some files when the power goes: what was synced, under names that were synced. */
export interface DurableFiles {
  /** Watches what is synced. */
  readonly around: Around;
  /** Writes the files that `directory` would have after a power cut at this moment into `target`. */
  readonly restore: (directory: string, target: string) => void;
}

/**
 * The worst disk that keeps its word: of a file that was not synced it has nothing, of a directory that was not synced the
 * names as they were before. A real one may have more.
 */
export function watchDurableFiles(): DurableFiles {
  const contents = new Map<string, Buffer>();
  const names = new Map<string, ReadonlyMap<string, string>>();

  function noteSync(file: string): void {
    if (!statSync(file).isDirectory()) {
      contents.set(identityOf(file), readFileSync(file));
      return;
    }
    const entries = readdirSync(file, { withFileTypes: true }).filter((entry) => entry.isFile());
    names.set(file, new Map(entries.map(({ name }) => [name, identityOf(path.join(file, name))])));
  }

  return {
    around: async ({ name, path: file }, { whole }) => {
      const result = await whole();
      if (name === 'handle.sync' || name === 'handle.datasync') noteSync(file);
      return result;
    },
    restore: (directory, target) => {
      mkdirSync(target, { recursive: true });
      for (const [name, identity] of names.get(directory) ?? []) {
        writeFileSync(path.join(target, name), contents.get(identity) ?? '');
      }
    },
  };
}

/** The same for a file under whatever name, another one for the file that takes its place. */
function identityOf(file: string): string {
  const { ino, birthtimeMs } = statSync(file);
  return `${ino} ${birthtimeMs}`;
}
