import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** Recognizes pages with the `tesseract` of `fakePrograms`, if there is one. */
export const REPLACEABLE_RECOGNIZER = path.join(import.meta.dirname, 'replaceable_recognizer.py');

export const REAL_PATH = '/usr/local/bin:/usr/bin:/bin';

/**
 * Returns a PATH that begins with failing programs, given as bodies of shell scripts. Start-up
 * queries go to the real program, so that only the work fails.
 */
export async function fakePrograms(
  directory: string,
  programs: Readonly<Record<string, string>>,
): Promise<string> {
  const bin = path.join(directory, 'fake-bin');
  await mkdir(bin, { recursive: true });
  for (const [name, body] of Object.entries(programs)) {
    const script = [
      '#!/bin/sh',
      `case "$1" in --version|--list-langs) [ -x /usr/bin/${name} ] && exec /usr/bin/${name} "$@";; esac`,
      body,
    ];
    await writeFile(path.join(bin, name), `${script.join('\n')}\n`, { mode: 0o755 });
  }
  return `${bin}:${REAL_PATH}`;
}

export async function realPrograms(directory: string): Promise<void> {
  await rm(path.join(directory, 'fake-bin'), { recursive: true, force: true });
}
