import { cp, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { startProgram } from '../../helpers/child-process.ts';
import { debianMirror, installPackages } from './packages.ts';
import { program, type RunSettings, whereIs } from './programs.ts';

/** Debian's trusted certificates, including a private authority of this network, if any. */
export const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';

const FILES = ['/etc/resolv.conf', '/etc/hosts', CERTIFICATES];

const ENTER = path.join(import.meta.dirname, 'enter.sh');

/** Time limit of debootstrap. Under emulation, unpacking alone takes minutes. */
const BOOTSTRAP_MS = 60 * 60_000;
/** Enough to install Debian and npm packages, or to run a test suite. */
const SCRIPT_MS = 2 * 60 * 60_000;

export const RELEASES = ['trixie', 'bookworm'] as const;
export type Release = (typeof RELEASES)[number];

export interface RootOptions {
  readonly directory: string;
  readonly release?: Release;
  readonly include: readonly string[];
  /** Debian's name of the architecture; defaults to this machine's. */
  readonly architecture?: string;
  readonly signal: AbortSignal;
}

export interface DebianRoot {
  readonly directory: string;
  run(script: string): Promise<string>;
  /** Runs as in a root log-in and streams its output. Returns the exit code. */
  show(script: string, print: (text: Buffer) => void): Promise<number | undefined>;
}

export async function makeRoot(options: RootOptions): Promise<DebianRoot> {
  const { directory, release = 'trixie', include, architecture, signal } = options;
  if ((await whereIs('debootstrap')) === undefined) await installPackages(['debootstrap'], signal);
  const args = ['--variant=minbase'];
  if (include.length > 0) args.push(`--include=${include.join(',')}`);
  if (architecture !== undefined) args.push(`--arch=${architecture}`);
  const command = ['debootstrap', ...args, release, directory, await debianMirror()] as const;
  await program([...command], { timeoutMs: BOOTSTRAP_MS, signal });
  for (const file of FILES) {
    await cp(file, path.join(directory, file), { dereference: true }).catch(() => {});
  }
  const env = { NODE_EXTRA_CA_CERTS: CERTIFICATES, DEBIAN_FRONTEND: 'noninteractive' };
  const settings: RunSettings = { timeoutMs: SCRIPT_MS, signal, env };
  // Because of the trailing `:`, bash stays the namespace's first process and reaps orphans. npm in
  // its place would never exit.
  const inside = (script: string): string[] => [directory, 'bash', '-euc', `${script}\n:`];
  return {
    directory,
    run: (script) => program([ENTER, ...inside(script)], settings),
    show: async (script, print) => {
      const running = startProgram(
        { file: ENTER, args: inside(script), cwd: '/', env: logInEnvironment() },
        { timeoutMs: SCRIPT_MS, signal, keepOutput: false },
      );
      running.stdin.end();
      for (const stream of [running.stdout, running.stderr]) stream.on('data', print);
      return (await running.ended).exitCode;
    },
  };
}

/** Passes on this machine's proxy settings and the like. */
function logInEnvironment(): Record<string, string> {
  const network = Object.entries(process.env).filter(
    (entry): entry is [string, string] =>
      /^(?:CI|(?:https?|no|all)_proxy)$/iu.test(entry[0]) && entry[1] !== undefined,
  );
  return {
    ...Object.fromEntries(network),
    NODE_EXTRA_CA_CERTS: CERTIFICATES,
    HOME: '/root',
    LANG: 'C.UTF-8',
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  };
}

export async function copyCheckout(checkout: string, target: string): Promise<void> {
  const listed = await program(['git', 'ls-files', '-z'], { cwd: checkout });
  for (const file of listed.split('\0').filter((name) => name !== '')) {
    await mkdir(path.dirname(path.join(target, file)), { recursive: true });
    await cp(path.join(checkout, file), path.join(target, file));
  }
}
