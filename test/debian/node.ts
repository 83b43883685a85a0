import { cp, mkdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import { program, ProgramError, whereIs } from './programs.ts';

const INSTALL_MS = 10 * 60_000;

const PINNED_NODE = path.resolve(import.meta.dirname, '../../deploy/bootstrap/node');
/**
 * The npm release that ships with Node 24. Debian's npm cannot be copied: its modules are spread
 * over /usr/share.
 */
const PINNED_NPM = path.resolve(import.meta.dirname, 'npm');

/** Installs the pinned Node binary and npm from their packages into a directory. */
export async function getNode(directory: string, signal: AbortSignal): Promise<void> {
  for (const pinned of [PINNED_NODE, PINNED_NPM]) {
    const cwd = path.join(directory, path.basename(pinned));
    await cp(pinned, cwd, { recursive: true });
    const install = ['ci', '--ignore-scripts', '--include=optional', '--no-audit', '--no-fund'];
    const npm = path.join(await npmDirectory(), 'bin/npm-cli.js');
    await program([process.execPath, npm, ...install], { cwd, timeoutMs: INSTALL_MS, signal });
  }
}

export async function addNode(root: string, directory: string): Promise<void> {
  const inside = (file: string): string => path.join(root, 'usr/local', file);
  const node = path.join(directory, `node/node_modules/node-linux-${process.arch}/bin/node`);
  await mkdir(inside('lib/node_modules'), { recursive: true });
  await cp(node, inside('bin/node'));
  const npm = path.join(directory, 'npm/node_modules/npm');
  await cp(npm, inside('lib/node_modules/npm'), { recursive: true });
  await symlink('../lib/node_modules/npm/bin/npm-cli.js', inside('bin/npm'));
}

/** The directory of the npm that started this run, or else of the one in PATH. */
async function npmDirectory(): Promise<string> {
  const script = process.env['npm_execpath'] ?? (await whereIs('npm'));
  if (script === undefined) throw new ProgramError('npm is not on the PATH.');
  const real = (await program(['readlink', '--canonicalize', script])).trim();
  return path.dirname(path.dirname(real));
}
