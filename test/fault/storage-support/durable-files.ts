import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { pageNumber } from '../../../service/archive/file-names.ts';
import type { Around } from './file-operations.ts';

/** What a disk is sure to have of some files when the power goes: what was synced, under names that were synced. */
export interface DurableFiles {
  /** Watches what is synced. */
  readonly around: Around;
  /** Writes the files that `directory` would have after a power cut at this moment into `target`. */
  readonly restore: (directory: string, target: string) => void;
  /** Leaves of a directory, and those in it, only what they would have after a power cut. */
  readonly cut: (directory: string) => void;
}

interface DurableName {
  readonly name: string;
  readonly identity: string;
  readonly isDirectory: boolean;
}

/**
 * The worst disk that keeps its word: of a file that was not synced it has nothing, of a directory that was not synced the
 * names as they were before. A real one may have more.
 */
export function watchDurableFiles(): DurableFiles {
  const contents = new Map<string, Buffer>();
  /** By directory, whatever name it has. */
  const names = new Map<string, readonly DurableName[]>();

  function noteSync(file: string): void {
    if (!statSync(file).isDirectory()) {
      contents.set(identityOf(file), readFileSync(file));
      return;
    }
    const entries = readdirSync(file, { withFileTypes: true });
    const kept = entries.filter((entry) => entry.isFile() || entry.isDirectory());
    const durable = kept.map((entry) => ({
      name: entry.name,
      identity: identityOf(path.join(file, entry.name)),
      isDirectory: entry.isDirectory(),
    }));
    names.set(identityOf(file), durable);
  }

  function restoreNames(directory: string, target: string): void {
    mkdirSync(target, { recursive: true });
    for (const { name, identity, isDirectory } of names.get(directory) ?? []) {
      const file = path.join(target, name);
      if (isDirectory) restoreNames(identity, file);
      else writeFileSync(file, contents.get(identity) ?? '');
    }
  }

  const restore: DurableFiles['restore'] = (directory, target) => {
    restoreNames(identityOf(directory), target);
  };

  function cut(directory: string): void {
    const saved = `${directory}.cut`;
    restore(directory, saved);
    for (const [page, content] of pagesBelow(directory)) {
      // The scanner runtime syncs its pages, and is no part of this.
      const file = path.join(saved, page);
      if (statSync(path.dirname(file), { throwIfNoEntry: false })) writeFileSync(file, content);
    }
    rmSync(directory, { recursive: true });
    renameSync(saved, directory);
  }

  return {
    around: async ({ name, path: file }, { whole }) => {
      const result = await whole();
      if (name === 'handle.sync' || name === 'handle.datasync') noteSync(file);
      return result;
    },
    restore,
    cut,
  };
}

function pagesBelow(directory: string): [string, Buffer][] {
  const files = readdirSync(directory, { recursive: true }).map(String);
  return files
    .filter((file) => pageNumber(path.basename(file)) !== undefined)
    .map((file) => [file, readFileSync(path.join(directory, file))]);
}

/** The same for a file under whatever name, another one for the file that takes its place. */
function identityOf(file: string): string {
  const { ino, birthtimeMs } = statSync(file);
  return `${ino} ${birthtimeMs}`;
}
