import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  type Stats,
} from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { pageNumber } from '../../../service/archive/file-names.ts';
import { EVENT_MS, within } from '../../support/suite.ts';
import type { Around, FileOperation, Performance, WithFileFaults } from './file-operations.ts';
import { SHEETS, type Service, type StorageBench, type StorageCase } from './storage-bench.ts';

export type Moment = 'before' | 'half' | 'after';

export const MOMENT_IN_WORDS: Readonly<Record<Moment, string>> = {
  before: 'right before each operation',
  half: 'half-way through each write',
  after: 'right after each operation',
};

interface Death {
  readonly withFaults: WithFileFaults;
  /** Number of the fatal operation; for `half`, only writes count. */
  readonly at: number;
  readonly moment: Moment;
  readonly around?: Around;
}

export interface Dying extends Death {
  readonly bench: StorageBench;
  readonly faulty: StorageCase;
  readonly work: (service: Service) => Promise<unknown>;
}

export async function runUntilDeath({ bench, faulty, work, ...death }: Dying): Promise<boolean> {
  const { root } = faulty;
  const isDead = await dieDuring({ ...death, root, work: () => work(faulty.start()) });
  if (isDead) await stopFeeder(faulty);
  bench.processor.hangUp();
  return isDead;
}

export interface DyingWork extends Death {
  /** Only operations below this directory count. */
  readonly root: string;
  readonly work: () => Promise<unknown>;
}

/**
 * After a death, as by `kill -9`, nothing that `work` awaits settles. Resolves with true once it is
 * dead and its operations have ended, or with false if `work` completed.
 */
export async function dieDuring({ around = perform, ...dying }: DyingWork): Promise<boolean> {
  const { withFaults, root, at, moment, work } = dying;
  const died = Promise.withResolvers<void>();
  const underWay = new Set<Promise<unknown>>();
  const handles: FileHandle[] = [];
  let counted = 0;
  let isDying = false;

  async function until(operation: FileOperation, { whole, half }: Performance): Promise<unknown> {
    if (isDying) return never();
    if (moment !== 'half' || half) counted += 1;
    const isLast = counted === at && (moment !== 'half' || half !== undefined);
    isDying = isLast;
    if (isLast && moment === 'before') {
      died.resolve();
      return never();
    }
    const isHalf = isLast && moment === 'half';
    const begun = isHalf ? half?.() : around(operation, { whole, half });
    const ended = Promise.allSettled([begun]);
    underWay.add(ended);
    const [result] = await ended;
    underWay.delete(ended);
    if (operation.name === 'open' && result.status === 'fulfilled')
      handles.push(result.value as FileHandle);
    if (isLast) died.resolve();
    if (isDying) return never();
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  }

  const ended = withFaults(root, until, work);
  await within(EVENT_MS, Promise.race([died.promise, ended]), `the end, or death ${moment} ${at}`);
  if (!isDying) return false;
  await Promise.all(underWay);
  // Closes open files as the kernel does. Closing one twice fails harmlessly.
  await Promise.allSettled(handles.map((handle) => handle.close()));
  return true;
}

const perform: Around = (_, { whole }) => whole();

function never(): Promise<never> {
  return new Promise(() => {});
}

async function stopFeeder({ scanner }: StorageCase): Promise<void> {
  scanner.sheets = 0;
  await turn();
  await turn();
  scanner.sheets = SHEETS;
}

/** What a disk certainly keeps after a power cut: synced content under synced names. */
export interface DurableFiles {
  readonly around: Around;
  /** Writes the files of `directory` that would survive into `target`. */
  readonly restore: (directory: string, target: string) => void;
  /** Reduces a directory and its subdirectories to what would survive. */
  readonly cut: (directory: string) => void;
}

interface DurableName {
  readonly name: string;
  readonly identity: string;
  readonly isDirectory: boolean;
}

/**
 * Models the worst disk that keeps its guarantees: unsynced files are empty, unsynced directories
 * old.
 */
export function watchDurableFiles(): DurableFiles {
  const contents = new Map<string, Buffer>();
  /** Keyed by a directory's identity, which survives renaming. */
  const names = new Map<string, readonly DurableName[]>();

  function noteSync(file: string): void {
    if (!statSync(file).isDirectory()) {
      contents.set(identityOf(file), readFileSync(file));
      return;
    }
    const entries = readdirSync(file, { withFileTypes: true });
    const kept = entries.filter((entry) => entry.isFile() || entry.isDirectory());
    const durable = kept.flatMap((entry) => {
      const found = statSync(path.join(file, entry.name), { throwIfNoEntry: false });
      // A concurrent rename may take the name away after it was listed.
      if (!found) return [];
      return [{ name: entry.name, identity: idOf(found), isDirectory: entry.isDirectory() }];
    });
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
      // Pages are synced by the scanner runtime, whose operations are not intercepted.
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

/** Identifies a file across renames, unlike its successor under the same name. */
function identityOf(file: string): string {
  return idOf(statSync(file));
}

function idOf({ ino, birthtimeMs }: Stats): string {
  return `${ino} ${birthtimeMs}`;
}
