import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { programEnvironment } from '../../helpers/child-process.ts';
import { processesBelow, stillAlive } from './processes.ts';
import { watchProgram, type WatchedProgram } from './programs.ts';
import { EVENT_MS } from './within.ts';

/** SANE's network daemon (Debian's sane-utils) with the `test` backend, run in the foreground. */
export interface Saned {
  /** The `net` backend supports only one port, so each daemon gets its own loopback address. */
  readonly address: string;
  readonly start: () => Promise<void>;
  /** Also kills its per-client processes, so the kernel closes their connections. */
  readonly kill: () => Promise<void>;
}

const SANED = '/usr/sbin/saned';

/** A loopback address that no other test uses. */
export function loopbackAddress(): string {
  const [high, low] = [Math.floor(process.pid / 256) % 256, (process.pid % 254) + 1];
  return `127.66.${high}.${low}`;
}

/**
 * Prepares a daemon without starting it. `directory` holds its SANE configuration; `variables`
 * name its drivers.
 */
export async function createSaned(
  directory: string,
  variables: Readonly<Record<string, string>>,
): Promise<Saned> {
  const config = path.join(directory, 'saned');
  await mkdir(config);
  await writeFile(path.join(config, 'dll.conf'), 'test\n');
  const address = loopbackAddress();
  const env = programEnvironment({ ...variables, SANE_CONFIG_DIR: config });
  let running: WatchedProgram | undefined;
  return {
    address,
    start: async () => {
      running = watchProgram([SANED, '-l', '-e', '-d', '3', '-b', address], {
        env,
        withinMs: EVENT_MS,
      });
      await running.printed('waiting for control connection');
    },
    kill: async () => {
      const { pid } = running?.child ?? {};
      if (pid === undefined) return;
      running = undefined;
      const pids = [pid, ...processesBelow([pid]).map((one) => one.pid)];
      for (const one of pids) process.kill(one, 'SIGKILL');
      const left = await stillAlive(pids);
      if (left.length > 0) throw new Error(`saned is still there: ${left.join(', ')}`);
    },
  };
}
