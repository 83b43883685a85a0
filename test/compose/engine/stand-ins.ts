import { mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { addNode, getNode } from '../../debian/node.ts';
import { CERTIFICATES, makeRoot } from '../../debian/root.ts';
import type { Docker } from './docker.ts';
import { program } from '../../debian/programs.ts';

/**
 * Stand-ins for the images of Debian and Node on machines without a registry. They contain only
 * what the Dockerfiles need and are trimmed like the real ones, so that sizes are comparable.
 */

const IMPORT_MS = 5 * 60_000;

/**
 * Makes the image like a `-slim` one: no manuals, no translations, no syncing to disk on
 * installation.
 */
const SLIM = `cd /usr/share
printf 'path-exclude /usr/share/%s/*\n' doc man info locale > /etc/dpkg/dpkg.cfg.d/docker
echo 'path-include /usr/share/doc/*/copyright' >> /etc/dpkg/dpkg.cfg.d/docker
echo force-unsafe-io > /etc/dpkg/dpkg.cfg.d/docker-apt-speedup
echo 'Acquire::Languages "none";' > /etc/apt/apt.conf.d/docker-no-languages
find man info locale /var/lib/apt/lists /var/cache/apt -mindepth 1 -delete
find doc -type f -not -name copyright -delete
mkdir --parents /var/cache/apt/archives/partial`;

const NODE_USER = 'groupadd --gid 1000 node && useradd --uid 1000 --gid 1000 --create-home node';

interface StandInOptions {
  /** Must be on a file system that allows device files. */
  readonly directory: string;
  readonly signal: AbortSignal;
}

/** Makes the Debian and the Node image, named like the originals. Needs root. */
export async function makeStandIns(
  docker: Docker,
  { directory, signal }: StandInOptions,
): Promise<void> {
  const work = await mkdtemp(path.join(directory, 'making-'));
  try {
    const node = path.join(work, 'node');
    const [root] = await Promise.all([
      makeRoot({ directory: path.join(work, 'root'), include: [], signal }),
      getNode(node, signal),
    ]);
    await root.run(SLIM);
    const debian = { name: 'debian:trixie-slim', changes: ['CMD ["bash"]'], signal };
    await importImage(docker, root.directory, debian);
    await root.run(NODE_USER);
    await addNode(root.directory, node);
    const changes = ['CMD ["node"]', `ENV NODE_EXTRA_CA_CERTS=${CERTIFICATES}`];
    await importImage(docker, root.directory, { name: 'node:24-trixie-slim', changes, signal });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

interface ImportOptions {
  readonly name: string;
  readonly changes: readonly string[];
  readonly signal: AbortSignal;
}

async function importImage(
  docker: Docker,
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
