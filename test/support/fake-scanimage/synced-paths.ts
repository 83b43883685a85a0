import { readlinkSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';

/** The paths that this process syncs to disk during `work`, in order. */
export async function syncedPaths(work: () => Promise<void>): Promise<string[]> {
  const handle = await open('/');
  const prototype = Object.getPrototypeOf(handle) as FileHandle;
  const sync: unknown = Reflect.get(prototype, 'sync');
  if (typeof sync !== 'function') throw new Error('file handles have no sync');
  await handle.close();
  const paths: string[] = [];
  prototype.sync = async function record(this: FileHandle) {
    paths.push(readlinkSync(`/proc/self/fd/${this.fd}`));
    await Reflect.apply(sync, this, []);
  };
  try {
    await work();
  } finally {
    Reflect.set(prototype, 'sync', sync);
  }
  return paths;
}
