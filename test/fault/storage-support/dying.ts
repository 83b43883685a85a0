import type { FileHandle } from 'node:fs/promises';
import { setImmediate as turn } from 'node:timers/promises';
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
