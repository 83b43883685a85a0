import { cp, mkdir, readFile, rmdir } from 'node:fs/promises';
import path from 'node:path';
import { startProgram, type Ended } from '../../helpers/child-process.ts';
import { until } from '../compose/appliance.ts';
import { debianMirror, installPackages } from '../compose/engine/debian.ts';
import { program, tryProgram, whereIs } from '../compose/engine/programs.ts';

const BOOT = path.join(import.meta.dirname, 'boot.sh');

/** What a minimal Debian has on a disk, but not in a container. */
const PACKAGES = 'systemd,systemd-sysv,dbus,ca-certificates,iproute2';
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';

/** Made by boot.sh. */
const CGROUP = '/sys/fs/cgroup/scan-service-systemd-test';

const BOOTSTRAP_MS = 15 * 60_000;
/** Packages of Debian and npm. */
const INSTALL_MS = 30 * 60_000;
/** A few seconds on an idle machine. */
const BOOT_MS = 120_000;
const LIFETIME_MS = 2 * 3_600_000;

/** A Debian 13 in a directory, without a running system. */
export interface DebianRoot {
  readonly directory: string;
  /** Runs a script of bash in it, as root; throws a `ProgramError` if it fails. */
  run(script: string): Promise<string>;
}

/** Makes a minimal Debian 13. Needs root. */
export async function makeRoot(directory: string, signal: AbortSignal): Promise<DebianRoot> {
  if ((await whereIs('debootstrap')) === undefined) await installPackages(['debootstrap'], signal);
  const options = ['--variant=minbase', `--include=${PACKAGES}`];
  const command = ['debootstrap', ...options, 'trixie', directory, await debianMirror()] as const;
  await program([...command], { timeoutMs: BOOTSTRAP_MS, signal });
  for (const file of ['/etc/resolv.conf', CERTIFICATES]) {
    await cp(file, path.join(directory, file), { dereference: true }).catch(() => {});
  }
  const namespaces = [
    '--mount',
    '--pid',
    '--fork',
    '--kill-child',
    `--mount-proc=${directory}/proc`,
  ];
  const env = { NODE_EXTRA_CA_CERTS: CERTIFICATES, DEBIAN_FRONTEND: 'noninteractive' };
  return {
    directory,
    run: (script) =>
      program(['unshare', ...namespaces, 'chroot', directory, 'bash', '-euc', script], {
        timeoutMs: INSTALL_MS,
        signal,
        env,
      }),
  };
}

/** Copies the files that git tracks, as they are now. */
export async function copyCheckout(checkout: string, target: string): Promise<void> {
  const listed = await program(['git', 'ls-files', '-z'], { cwd: checkout });
  for (const file of listed.split('\0').filter((name) => name !== '')) {
    await mkdir(path.dirname(path.join(target, file)), { recursive: true });
    await cp(path.join(checkout, file), path.join(target, file));
  }
}

/** A booted Debian with a network of its own, of which only the loopback interface is up. */
export interface Machine {
  /** Runs a script of bash in it, as root; throws a `ProgramError` if it fails. */
  run(script: string): Promise<string>;
  try(script: string): Promise<Ended>;
  /** The command that runs a program of this machine's files in the network of the booted one. */
  readonly inItsNetwork: readonly [string, ...string[]];
  stop(): Promise<void>;
}

/** Boots the system in `directory`; see boot.sh. */
export async function boot(directory: string): Promise<Machine> {
  const PATH = `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin`;
  const running = startProgram(
    { file: BOOT, args: [directory], cwd: '/', env: { PATH } },
    { timeoutMs: LIFETIME_MS },
  );
  running.stdin.end();
  /** The systemd, as this machine sees it. */
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
