import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { debianMirror, installPackages } from './debian.ts';
import type { DockerAlone } from './docker.ts';
import { program, ProgramError, whereIs } from './programs.ts';

/**
 * Stand-ins for the official images of Debian and Node, for machines without a registry. Of what those have, only what the
 * Dockerfiles rely on is here; they are trimmed as the real ones are, so that sizes can be compared.
 */

const BOOTSTRAP_MS = 15 * 60_000;
const IMPORT_MS = 5 * 60_000;
const INSTALL_MS = 10 * 60_000;

/** What `-slim` means: no manuals, no translations. */
const NOT_UNPACKED = [
  '/usr/share/doc/*',
  '/usr/share/man/*',
  '/usr/share/info/*',
  '/usr/share/locale/*',
];
const SLIM = [
  ...NOT_UNPACKED.map((one) => `path-exclude ${one}`),
  'path-include /usr/share/doc/*/copyright',
];
/** The real images have these too: what is installed in a container need not survive a power cut. */
const FASTER = [
  ['etc/dpkg/dpkg.cfg.d/docker-apt-speedup', 'force-unsafe-io'],
  ['etc/apt/apt.conf.d/docker-no-languages', 'Acquire::Languages "none";'],
] as const;

/** Where Debian keeps the certificates that are trusted; on a network with a private authority, also that one. */
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';

interface StandInOptions {
  /** On a file system that may hold device files. */
  readonly directory: string;
  readonly signal: AbortSignal;
}

/** Makes both images under the names of the real ones. Needs root. */
export async function makeStandIns(
  docker: DockerAlone,
  { directory, signal }: StandInOptions,
): Promise<void> {
  if ((await whereIs('debootstrap')) === undefined) await installPackages(['debootstrap'], signal);
  const work = await mkdtemp(path.join(directory, 'making-'));
  try {
    const root = path.join(work, 'root');
    const node = path.join(work, 'node');
    await Promise.all([makeDebian(root, signal), getNode(node, signal)]);
    await importImage(docker, root, {
      name: 'debian:trixie-slim',
      changes: ['CMD ["bash"]'],
      signal,
    });
    await addNode(root, node);
    const changes = ['CMD ["node"]', `ENV NODE_EXTRA_CA_CERTS=${CERTIFICATES}`];
    await importImage(docker, root, { name: 'node:24-trixie-slim', changes, signal });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function makeDebian(root: string, signal: AbortSignal): Promise<void> {
  const bootstrap = ['--variant=minbase', 'trixie', root, await debianMirror()];
  await program(['debootstrap', ...bootstrap], { timeoutMs: BOOTSTRAP_MS, signal });
  const inside = (file: string): string => path.join(root, file);
  await writeFile(inside('etc/dpkg/dpkg.cfg.d/docker'), `${SLIM.join('\n')}\n`);
  for (const [file, text] of FASTER) await writeFile(inside(file), `${text}\n`);
  for (const empty of [
    'var/lib/apt/lists',
    'var/cache/apt',
    'usr/share/man',
    'usr/share/locale',
    'usr/share/info',
  ]) {
    await program(['find', inside(empty), '-mindepth', '1', '-delete']);
  }
  const documents = ['-not', '-name', 'copyright', '-type', 'f', '-delete'];
  await program(['find', inside('usr/share/doc'), ...documents]);
  await mkdir(inside('var/cache/apt/archives/partial'), { recursive: true });
}

/** Installs the node binary's package, of the version that the project pins, into a directory. */
async function getNode(directory: string, signal: AbortSignal): Promise<void> {
  const pinned = path.resolve(import.meta.dirname, '../../../deploy/bootstrap/node');
  await cp(pinned, directory, { recursive: true });
  const npm = await npmDirectory();
  const install = ['ci', '--ignore-scripts', '--include=optional', '--no-audit', '--no-fund'];
  await program([process.execPath, path.join(npm, 'bin/npm-cli.js'), ...install], {
    cwd: directory,
    timeoutMs: INSTALL_MS,
    signal,
  });
}

/** The node binary, the npm that this run was started by, the user of the real image, and the trusted certificates. */
async function addNode(root: string, directory: string): Promise<void> {
  const inside = (file: string): string => path.join(root, file);
  const npm = await npmDirectory();
  const node = path.join(directory, `node_modules/node-linux-${process.arch}/bin/node`);
  await mkdir(inside('usr/local/lib/node_modules'), { recursive: true });
  await cp(node, inside('usr/local/bin/node'));
  await cp(npm, inside('usr/local/lib/node_modules/npm'), { recursive: true, dereference: true });
  await symlink('../lib/node_modules/npm/bin/npm-cli.js', inside('usr/local/bin/npm'));
  await program(['chroot', root, 'groupadd', '--gid', '1000', 'node']);
  await program([
    'chroot',
    root,
    'useradd',
    '--uid',
    '1000',
    '--gid',
    '1000',
    '--create-home',
    'node',
  ]);
  const trusted = await readFile(CERTIFICATES).catch(() => undefined);
  if (trusted === undefined) return;
  await mkdir(path.dirname(inside(CERTIFICATES)), { recursive: true });
  await writeFile(inside(CERTIFICATES), trusted);
}

/** The folder of the npm that started this run; else of the one on the PATH. */
async function npmDirectory(): Promise<string> {
  const script = process.env['npm_execpath'] ?? (await whereIs('npm'));
  if (script === undefined) throw new ProgramError('npm is not on the PATH.');
  const real = (await program(['readlink', '--canonicalize', script])).trim();
  return path.dirname(path.dirname(real));
}

interface ImportOptions {
  readonly name: string;
  readonly changes: readonly string[];
  readonly signal: AbortSignal;
}

async function importImage(
  docker: DockerAlone,
  root: string,
  { name, changes, signal }: ImportOptions,
): Promise<void> {
  const archive = `${root}.tar`;
  const settings = { timeoutMs: IMPORT_MS, signal };
  const pack = ['--numeric-owner', '--one-file-system', '--directory', root, '--file', archive];
  await program(['tar', '--create', ...pack, '.'], settings);
  const options = changes.flatMap((change) => ['--change', change]);
  await docker.run(['import', ...options, archive, name], settings);
  await rm(archive);
}
