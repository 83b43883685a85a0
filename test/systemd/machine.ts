import { readFile, rmdir } from 'node:fs/promises';
import path from 'node:path';
import { startProgram, type Ended } from '../../helpers/child-process.ts';
import { until } from '../compose/appliance.ts';
import { program, tryProgram } from '../debian/programs.ts';

const BOOT = path.join(import.meta.dirname, 'boot.sh');

const CGROUP = '/sys/fs/cgroup/scan-service-systemd-test';

const BOOT_MS = 120_000;
const LIFETIME_MS = 2 * 3_600_000;

/** A booted Debian with its own network, which has only the loopback interface. */
export interface Machine {
  run(script: string): Promise<string>;
  try(script: string): Promise<Ended>;
  /** Command prefix that runs a program of this machine in the booted machine's network. */
  readonly inItsNetwork: readonly [string, ...string[]];
  stop(): Promise<void>;
}

export async function boot(directory: string): Promise<Machine> {
  const PATH = `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin`;
  const running = startProgram(
    { file: BOOT, args: [directory], cwd: '/', env: { PATH } },
    { timeoutMs: LIFETIME_MS },
  );
  running.stdin.end();
  /** nsenter's options that name the booted systemd by its process id on this machine. */
  const target = async (): Promise<readonly string[]> => [
    '--target',
    (await readFile(`/proc/${running.pid}/task/${running.pid}/children`, 'utf8')).trim(),
  ];
  const inside = async (script: string): Promise<[string, ...string[]]> => [
    'nsenter',
    ...(await target()),
    '--all',
    '--root',
    '--wd=/',
    'bash',
    '-euc',
    script,
  ];
  const attempt: Machine['try'] = async (script) => tryProgram(await inside(script));
  const stop = async (): Promise<void> => {
    running.kill('SIGKILL');
    await running.ended;
    await rmdir(CGROUP).catch(() => {});
  };
  try {
    await until(BOOT_MS, 'the boot', async () => {
      const answer = await attempt('systemctl is-system-running').catch(() => undefined);
      return /^(?:running|degraded)/u.test(answer?.stdout ?? '');
    });
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    run: async (script) => program(await inside(script)),
    try: attempt,
    inItsNetwork: ['nsenter', ...(await target()), '--net'],
    stop,
  };
}
