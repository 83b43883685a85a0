import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { pageNumber } from '../../../service/archive/file-names.ts';
import type { Around, FileOperation, Performance } from './file-operations.ts';
import { SHEETS, type StorageCase } from './storage-bench.ts';

/** How far the operation gets that a service dies at. */
export type Moment = 'before' | 'half' | 'after';

/** What is left of a service that died: nothing that it waits for comes any more, as after `kill -9`. */
export interface Death {
  readonly around: Around;
  readonly struck: () => boolean;
  /** Resolves when it has died, and what it had begun is done by the kernel. */
  readonly dead: Promise<void>;
}

/** A death at the operation of that number; at `half`, only writes are counted. */
export function deathAt(at: number, moment: Moment): Death {
  const died = Promise.withResolvers<void>();
  const underWay = new Set<Promise<unknown>>();
  const handles: FileHandle[] = [];
  let counted = 0;
  let dying = false;

  async function around({ name }: FileOperation, { whole, half }: Performance): Promise<unknown> {
    if (dying) return never();
    if (moment !== 'half' || half) counted += 1;
    if (counted === at && (moment !== 'half' || half)) {
      dying = true;
      if (moment === 'half') await half?.();
      if (moment === 'after') await keep(name, whole());
      died.resolve();
      return never();
    }
    const work = whole();
    underWay.add(work);
    const result = await keep(name, work);
    underWay.delete(work);
    if (dying) return never();
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  }

  /** Notes what it opens; waits for it however it ends. */
  async function keep(
    name: string,
    work: Promise<unknown>,
  ): Promise<PromiseSettledResult<unknown>> {
    const [result] = await Promise.allSettled([work]);
    if (name === 'open' && result.status === 'fulfilled') handles.push(result.value as FileHandle);
    return result;
  }

  async function dead(): Promise<void> {
    await died.promise;
    await Promise.allSettled(underWay);
    // As the kernel does; those that are closed already say so.
    await Promise.allSettled(handles.map((handle) => handle.close()));
  }

  return { around, struck: () => dying, dead: dead() };
}

function never(): Promise<never> {
  return new Promise(() => {});
}

/** Ends what outlives the service: the feeder stops when the connection is lost. */
export async function stopFeeder({ scanner }: StorageCase): Promise<void> {
  scanner.sheets = 0;
  await turn();
  await turn();
  scanner.sheets = SHEETS;
}

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
