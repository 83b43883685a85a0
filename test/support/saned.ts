import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { programEnvironment, runProgram } from '../../helpers/child-process.ts';
import { errorCode } from '../../helpers/error-code.ts';
import { processesBelow, stillAlive } from './processes.ts';
import { watchProgram, type WatchedProgram } from './programs.ts';
import { EVENT_MS } from './within.ts';

/** SANE's network daemon (Debian's sane-utils) with the `test` backend, run in the foreground. */
export interface Saned {
  /** A loopback address of its own, because the `net` backend supports only one port. */
  readonly address: string;
  readonly start: () => Promise<void>;
  /** Also kills its per-client processes, which closes their connections. */
  readonly kill: () => Promise<void>;
}

const SANED = '/usr/sbin/saned';

/** A loopback address that no other test uses. */
export function loopbackAddress(): string {
  const [high, low] = [Math.floor(process.pid / 256) % 256, (process.pid % 254) + 1];
  return `127.66.${high}.${low}`;
}

/** Upper bound for a scan that fails at its first read on a machine busy with OCR. */
const FAILURE_MS = 10_000;

/** Limit of attempts to start saned, about half of which succeed; see `createSaned`. */
const MOST_STARTS = 20;

/**
 * Prepares a daemon. `directory` holds its SANE configuration; `variables` name its drivers.
 *
 * When the `test` backend fails to read, it sets no length, and saned (1.1.1 to 1.3.1) adds
 * uninitialized memory to its count of unsent bytes. On Debian 13 that is part of an address, so
 * about half of all saned processes compute a negative count: they never send the failure, and the
 * `net` backend reads from the closed connection forever. `start` therefore restarts saned until it
 * sends a failure.
 */
export async function createSaned(
  directory: string,
  variables: Readonly<Record<string, string>>,
): Promise<Saned> {
  const config = await writeConfig(path.join(directory, 'saned'), { 'dll.conf': 'test\n' });
  const address = loopbackAddress();
  const client = await writeConfig(path.join(directory, 'client'), {
    'dll.conf': 'net\n',
    'net.conf': `${address}\n`,
  });
  const env = programEnvironment({ ...variables, SANE_CONFIG_DIR: config });
  let running: WatchedProgram | undefined;

  const kill = async (): Promise<void> => {
    const { pid } = running?.child ?? {};
    if (pid === undefined) return;
    running = undefined;
    const pids = [pid, ...processesBelow([pid]).map((one) => one.pid)];
    for (const one of pids) killIfThere(one);
    const left = await stillAlive(pids);
    if (left.length > 0) throw new Error(`saned is still there: ${left.join(', ')}`);
  };

  const start = async (starts = 1): Promise<void> => {
    running = watchProgram([SANED, '-l', '-e', '-d', '3', '-b', address], {
      env,
      withinMs: EVENT_MS,
    });
    await running.printed('waiting for control connection');
    if (await sendsFailures(client, address)) return;
    await kill();
    if (starts === MOST_STARTS) throw new Error(`no saned of ${starts} sends a failed read`);
    await start(starts + 1);
  };
  return { address, start: () => start(), kill };
}

/** The process of a client may have ended already, because its connection was closed. */
function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (errorCode(error) !== 'ESRCH') throw error;
  }
}

async function writeConfig(
  directory: string,
  files: Readonly<Record<string, string>>,
): Promise<string> {
  await mkdir(directory);
  for (const [name, text] of Object.entries(files))
    await writeFile(path.join(directory, name), text);
  return directory;
}

async function sendsFailures(config: string, address: string): Promise<boolean> {
  const failing = ['--read-return-value', 'SANE_STATUS_INVAL', '--batch=%d', '--batch-count=1'];
  const { timedOut } = await runProgram(
    {
      file: 'scanimage',
      args: ['-d', `net:${address}:test:0`, ...failing],
      cwd: config,
      env: programEnvironment({ SANE_CONFIG_DIR: config }),
    },
    { timeoutMs: FAILURE_MS },
  );
  return !timedOut;
}
