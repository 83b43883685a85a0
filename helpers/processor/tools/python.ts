import { open } from 'node:fs/promises';
import path from 'node:path';

/** Debian's Python: it is the one that Debian's Pillow and pikepdf are installed for, whatever else is in the PATH. */
export const PYTHON = '/usr/bin/python3';

/** Isolated from the user's settings and packages, and leaving no compiled files behind. */
export const PYTHON_ARGS = ['-I', '-B'] as const;

/** Longer than the first line of any script that this Python is asked to run. */
const FIRST_LINE_BYTES = 128;

/**
 * Path of the program of that name, where it is a script for Debian's Python; undefined where it is something else, or
 * not in the search path at all.
 */
export async function findPythonScript(
  name: string,
  searchPath: string,
): Promise<string | undefined> {
  for (const directory of searchPath.split(':')) {
    const file = path.join(directory, name);
    const start = await readStart(file);
    if (start !== undefined) return start.split('\n', 1)[0] === `#!${PYTHON}` ? file : undefined;
  }
  return undefined;
}

async function readStart(file: string): Promise<string | undefined> {
  try {
    await using handle = await open(file);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(FIRST_LINE_BYTES));
    return buffer.toString('latin1', 0, bytesRead);
  } catch {
    // Not here, or not for us to read.
    return undefined;
  }
}
