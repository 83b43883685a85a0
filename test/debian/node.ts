import { cp, mkdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import { program, ProgramError, whereIs } from './programs.ts';

const INSTALL_MS = 10 * 60_000;

/** Installs the pinned Node binary from its package into a directory. */
export async function getNode(directory: string, signal: AbortSignal): Promise<void> {
  const pinned = path.resolve(import.meta.dirname, '../../deploy/bootstrap/node');
  await cp(pinned, directory, { recursive: true });
  const npm = await npmDirectory();
  const install = ['ci', '--ignore-scripts', '--include=optional', '--no-audit', '--no-fund'];
  await program([process.execPath, path.join(npm, 'bin/npm-cli.js'), ...install], {
    cwd: directory,
    timeoutMs: INSTALL_MS,
    signal,
  });
}

/** Adds this Node binary and the npm of this run to the Debian in `root`. */
export async function addNode(root: string, directory: string): Promise<void> {
  const inside = (file: string): string => path.join(root, 'usr/local', file);
  const node = path.join(directory, `node_modules/node-linux-${process.arch}/bin/node`);
  await mkdir(inside('lib/node_modules'), { recursive: true });
  await cp(node, inside('bin/node'));
  const npm = { recursive: true, dereference: true };
  await cp(await npmDirectory(), inside('lib/node_modules/npm'), npm);
  await symlink('../lib/node_modules/npm/bin/npm-cli.js', inside('bin/npm'));
}

/** The directory of the npm that started this run, or else of the one in PATH. */
async function npmDirectory(): Promise<string> {
  const script = process.env['npm_execpath'] ?? (await whereIs('npm'));
  if (script === undefined) throw new ProgramError('npm is not on the PATH.');
  const real = (await program(['readlink', '--canonicalize', script])).trim();
  return path.dirname(path.dirname(real));
}
