import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { within } from '../../support/within.ts';

/** A program that was started starts to work within this. */
const START_MS = 20_000;
/** Nobody tells when a program has started; looking all the time would keep it from that. */
const LOOK_EVERY_MS = 10;

/**
 * Process id of the first program of that name whose command line holds the text; waits until there is one. The text is
 * to be the name of a directory of the test's own, since the machine may run other tests.
 */
export function startedProgram(name: string, text: string): Promise<number> {
  const search = async (): Promise<number> => {
    for (;;) {
      const pid = readdirSync('/proc').find((entry) => isIt(entry, name, text));
      if (pid !== undefined) return Number(pid);
      await wait(LOOK_EVERY_MS);
    }
  };
  return within(START_MS, search(), `${name} ... ${text}`);
}

function isIt(pid: string, name: string, text: string): boolean {
  if (!/^\d+$/.test(pid)) return false;
  try {
    return (
      readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === name &&
      readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(text)
    );
  } catch {
    // It ended meanwhile.
    return false;
  }
}
