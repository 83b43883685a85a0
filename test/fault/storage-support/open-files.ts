import { readdirSync, readlinkSync } from 'node:fs';

/** Files below a directory that this process has open, in the words of the kernel. */
export function openFilesBelow(directory: string): string[] {
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
