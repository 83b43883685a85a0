import { cp, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { debianMirror, installPackages } from '../compose/engine/debian.ts';
import { program, whereIs } from '../compose/engine/programs.ts';

/** Where Debian keeps the certificates that are trusted; on a network with a private authority, also that one. */
export const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';

/** Under emulation, unpacking alone takes minutes. */
const BOOTSTRAP_MS = 60 * 60_000;
/** Packages of Debian and npm. */
const INSTALL_MS = 2 * 60 * 60_000;

export interface RootOptions {
  readonly directory: string;
  /** Packages beside the minimal ones. */
  readonly include: readonly string[];
  /** As Debian names it; that of this machine if left out. */
  readonly architecture?: string;
  readonly signal: AbortSignal;
}

/** A Debian 13 in a directory, without a running system. */
export interface DebianRoot {
  readonly directory: string;
  /** Runs a script of bash in it, as root; throws a `ProgramError` if it fails. */
  run(script: string): Promise<string>;
}

/** Makes a minimal Debian 13. Needs root, and for another architecture its emulator. */
export async function makeRoot(options: RootOptions): Promise<DebianRoot> {
  const { directory, include, architecture, signal } = options;
  if ((await whereIs('debootstrap')) === undefined) await installPackages(['debootstrap'], signal);
  const args = ['--variant=minbase'];
  if (include.length > 0) args.push(`--include=${include.join(',')}`);
  if (architecture !== undefined) args.push(`--arch=${architecture}`);
  const command = ['debootstrap', ...args, 'trixie', directory, await debianMirror()] as const;
  await program([...command], { timeoutMs: BOOTSTRAP_MS, signal });
  for (const file of ['/etc/resolv.conf', CERTIFICATES]) {
    await cp(file, path.join(directory, file), { dereference: true }).catch(() => {});
  }
  const proc = `--mount-proc=${directory}/proc`;
  const namespaces = ['--mount', '--pid', '--fork', '--kill-child', proc];
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
