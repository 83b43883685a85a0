import { readdirSync, readlinkSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';

/** A thread of Node closes a file when it gets its turn, and tells nobody who only reads /proc. */
const CLOSED_MS = 10_000;
const LOOK_EVERY_MS = 5;

/** Files below a directory that this process still has open when all should be closed, in the words of the kernel. */
export async function filesLeftOpen(directory: string): Promise<string[]> {
  const until = performance.now() + CLOSED_MS;
  let open = openFilesBelow(directory);
  while (open.length > 0 && performance.now() < until) {
    await wait(LOOK_EVERY_MS);
    open = openFilesBelow(directory);
  }
  return open;
}

function openFilesBelow(directory: string): string[] {
  return readdirSync('/proc/self/fd')
    .map(linkOf)
    .filter((target) => target.startsWith(`${directory}/`));
}

function linkOf(descriptor: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    // The one that read the list.
    return '';
  }
}
