import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { within } from '../../../support/within.ts';

/** A program that was started starts to work within this. */
const START_MS = 60_000;
/** Nobody tells when a program has started; looking all the time would keep it from that. */
const LOOK_EVERY_MS = 10;

/**
 * Process id of the first program of that name that works in the directory, or has it in its command line; waits until
 * there is one. The directory is to be the test's own, since the machine may run other tests.
 */
export function startedProgram(name: string, directory: string): Promise<number> {
  const search = async (): Promise<number> => {
    for (;;) {
      const pid = readdirSync('/proc').find((entry) => isIt(entry, name, directory));
      if (pid !== undefined) return Number(pid);
      await wait(LOOK_EVERY_MS);
    }
  };
  return within(START_MS, search(), `${name} ... ${directory}`);
}

function isIt(pid: string, name: string, directory: string): boolean {
  if (!/^\d+$/.test(pid)) return false;
  try {
    return (
      readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === name &&
      (readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(directory) ||
        readlinkSync(`/proc/${pid}/cwd`).startsWith(directory))
    );
  } catch {
    // It ended meanwhile.
    return false;
  }
}
