import { access, chmod, cp, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { watchProgram, type WatchedProgram } from '../../support/programs.ts';

const BOOTSTRAP = join(import.meta.dirname, '..', '..', '..', 'deploy', 'bootstrap');

/** A run that has not ended by then hangs. */
const RUN_WITHIN_MS = 60_000;
const LOOK_EVERY_MS = 20;

/**
 * Stands in for dpkg-query, apt-get and npm. Each does what the shell text in `<name>.does` says, or nothing; a call of
 * one that would change the machine is a line in `calls`.
 */
const FAKE = `#!/bin/sh
name=\${0##*/}
[ "$name" = dpkg-query ] || echo "$name $*" >> "$MACHINE/calls"
[ ! -e "$MACHINE/$name.does" ] || . "$MACHINE/$name.does"
`;

/** What the bootstrap and the fakes use of a real machine; nothing else is on their PATH. */
const REAL = ['sh', 'flock', 'ln', 'mkdir', 'setpriv', 'setsid', 'sleep', 'touch'];

/** Does what `npm ci` does to node_modules, without what is optional unless OPTIONAL is set. */
const NPM = `
  import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
  const isWanted = ({ dev, optional }) =>
    (!dev || process.argv.includes('--include=dev')) && (!optional || process.env.OPTIONAL);
  const kept = Object.entries(packages).filter(([path, entry]) => path !== '' && isWanted(entry));
  if (!process.argv.includes('ci')) process.exit();
  for (const [path] of [['node_modules'], ...kept]) mkdirSync(path, { recursive: true });
  const installed = JSON.stringify({ packages: Object.fromEntries(kept) });
  writeFileSync('node_modules/.package-lock.json', installed);
`;

/** What the fake npm does if nothing else is said, as shell text. */
export const INSTALLS = `'${process.execPath}' "$MACHINE/npm.mjs" "$@"`;

/** For the fake dpkg-query: nothing that it is asked for is missing. */
export const EVERYTHING_INSTALLED = `for name in "$@"; do case $name in --*) ;; *) echo "installed $name";; esac; done`;

/** The text of a lockfile with one package of each kind, of this version. */
export function lockfile(version: string, more: object = {}): string {
  const packages = {
    '': {},
    'node_modules/one': { version },
    'node_modules/two': { version, dev: true },
    'node_modules/other-machine': { version, optional: true, os: ['linux'], cpu: ['s390x'] },
    ...more,
  };
  return JSON.stringify({ lockfileVersion: 3, packages });
}

/** Says what it was given, and ends as it was told. */
const TARGET = `
  process.on('SIGTERM', () => { console.log('SIGTERM'); process.exit(9); });
  process.on('SIGINT', () => console.log('SIGINT'));
  const [what] = process.argv.slice(2);
  console.log(JSON.stringify({ args: process.argv.slice(2), node: process.execPath }));
  if (what === 'wait') setInterval(() => {}, 1000);
  if (what === 'fail') process.exit(3);
`;

/** How the machine differs from this one, for the bootstrap only. */
export interface Circumstances {
  /** User id; root when left out. */
  readonly uid?: number;
  /** Version of the machine's own Node; this one's when left out. */
  readonly node?: string;
  /** For the bootstrap no time passes. */
  readonly clockStands?: boolean;
}

/** A checkout with the real bootstrap, on a machine whose package managers only pretend. */
export interface Machine {
  /** The checkout; there is a space in its path. */
  readonly checkout: string;
  /** Runs the bootstrap to its end. */
  readonly run: (
    args: readonly string[],
    circumstances?: Circumstances,
  ) => ReturnType<WatchedProgram['ended']>;
  /** Starts it. */
  readonly start: (args: readonly string[], circumstances?: Circumstances) => WatchedProgram;
  /** What a fake program does from now on, as shell text. */
  readonly program: (name: 'dpkg-query' | 'apt-get' | 'npm', does: string) => Promise<void>;
  /** Takes a program off the machine. */
  readonly without: (name: string) => Promise<void>;
  /** Puts a program on it that does nothing. */
  readonly provide: (name: string) => Promise<void>;
  /** Calls of the fake programs so far, each `name arguments`, those of dpkg-query left out. */
  readonly calls: () => Promise<string[]>;
}

export async function createMachine(root: string): Promise<Machine> {
  const checkout = join(root, 'check out');
  const bin = join(root, 'bin');
  await mkdir(bin);
  for (const name of REAL) await symlink(`/usr/bin/${name}`, join(bin, name));
  await cp(BOOTSTRAP, join(checkout, 'deploy', 'bootstrap'), { recursive: true });
  for (const target of ['service/main.ts', 'test/run.ts', 'test/check.ts']) {
    await mkdir(join(checkout, target, '..'), { recursive: true });
    await writeFile(join(checkout, target), TARGET);
  }
  await writeFile(join(checkout, 'package-lock.json'), lockfile('1.0.0'));
  await writeFile(join(root, 'npm.mjs'), NPM);
  for (const name of ['dpkg-query', 'apt-get', 'npm']) {
    await writeFile(join(bin, name), FAKE);
    await chmod(join(bin, name), 0o755);
  }
  const program: Machine['program'] = (name, does) =>
    writeFile(join(root, `${name}.does`), `${does}\n`);
  await program('npm', INSTALLS);
  const bootstrap = join(checkout, 'deploy', 'bootstrap', 'run.mjs');
  const start: Machine['start'] = (args, circumstances = {}) => {
    const env = { PATH: bin, MACHINE: root, NODE_OPTIONS: preload(circumstances) };
    const program = [process.execPath, bootstrap, ...args] as const;
    return watchProgram(program, { cwd: checkout, env, withinMs: RUN_WITHIN_MS });
  };
  return {
    checkout,
    start,
    program,
    run: (args, circumstances) => start(args, circumstances).ended(),
    without: (name) => rm(join(bin, name)),
    provide: (name) => symlink('/usr/bin/true', join(bin, name)),
    calls: async () => {
      const log = await readFile(join(root, 'calls'), 'utf8').catch(() => '');
      return log.split('\n').filter((line) => line !== '');
    },
  };
}

/** Waits until something else has made the file; what is waited for writes it at once. */
export async function appears(file: string): Promise<void> {
  const deadline = performance.now() + RUN_WITHIN_MS;
  while (performance.now() < deadline) {
    try {
      return await access(file);
    } catch {
      await sleep(LOOK_EVERY_MS);
    }
  }
  throw new Error(`${file} did not appear`);
}

/** Makes the bootstrap see another user and another Node. */
function preload({
  uid = 0,
  node = process.versions.node,
  clockStands = false,
}: Circumstances): string {
  const versions = `{ ...process.versions, node: ${JSON.stringify(node)} }`;
  const script = `
    process.getuid = () => ${uid};
    ${clockStands ? 'performance.now = () => 1;' : ''}
    Object.defineProperty(process, 'versions', { value: ${versions} });
  `;
  return `--import=data:text/javascript,${encodeURIComponent(script)}`;
}
