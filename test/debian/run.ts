/**
 * `npm run test:debian -- bookworm test 'test -- scanner'` runs scripts of package.json, by default
 * `test`, in a fresh Debian prepared as README.md says, with uncommitted changes. Needs root.
 */
import { cp, rm } from 'node:fs/promises';
import path from 'node:path';
import { runByRoot, type RootRun } from './by-root.ts';
import { addNode, getNode } from './node.ts';
import { program, ProgramError } from './programs.ts';
import { makeRoot, RELEASES, type DebianRoot, type Release } from './root.ts';

const CHECKOUT = path.resolve(import.meta.dirname, '../..');
const USAGE = `Usage: npm run test:debian -- ${RELEASES.join('|')} [script of package.json ...]`;

/**
 * The packages that README.md installs under "Try it without a scanner". On Debian 12, Node.js does
 * not come from Debian.
 */
const PACKAGES: Readonly<Record<Release, string>> = {
  trixie: 'ca-certificates curl git npm',
  bookworm: 'ca-certificates curl git',
};

const CLOSING = /^(?<passed>\d+) passed, (?<failed>\d+) failed$/gmu;

await runByRoot('debian', async (run) => {
  const [release, ...scripts] = process.argv.slice(2);
  if (!isRelease(release)) throw new ProgramError(USAGE);
  const root = await prepare(release, run);
  for (const script of scripts.length === 0 ? ['test'] : scripts) {
    run.signal.throwIfAborted();
    await runScript(root, script, run);
  }
});

function isRelease(name: string | undefined): name is Release {
  return RELEASES.some((release) => release === name);
}

async function prepare(release: Release, { directory, signal, say }: RootRun): Promise<DebianRoot> {
  say(`Making a Debian (${release}) …`);
  const place = path.join(directory, 'root');
  // Copies this machine's certificates last, since installing the package would replace them.
  const root = await makeRoot({ directory: place, release, include: ['ca-certificates'], signal });
  await root.run(
    `apt-get update && apt-get install --yes --no-install-recommends ${PACKAGES[release]}`,
  );
  if (release === 'bookworm') {
    await getNode(path.join(directory, 'node'), signal);
    await addNode(place, path.join(directory, 'node'));
  }
  await program(['git', 'clone', '--quiet', '--bare', CHECKOUT, path.join(place, 'srv/scan.git')]);
  await root.run('cd /root && git clone --quiet /srv/scan.git scan-service');
  await copyChanges(path.join(place, 'root/scan-service'));
  return root;
}

async function copyChanges(target: string): Promise<void> {
  const changed = await program(['git', 'diff', '--name-only', '--no-renames', '-z', 'HEAD'], {
    cwd: CHECKOUT,
  });
  for (const file of changed.split('\0').filter((name) => name !== '')) {
    const copy = path.join(target, file);
    await rm(copy, { force: true });
    await cp(path.join(CHECKOUT, file), copy).catch(() => {});
  }
}

async function runScript(root: DebianRoot, script: string, { count, say }: RootRun): Promise<void> {
  say(`\n${script}:`);
  const began = performance.now();
  let printed = '';
  const exitCode = await root.show(`cd /root/scan-service && npm run ${script}`, (text) => {
    process.stdout.write(text);
    printed += text.toString();
  });
  const { passed, failed } = [...printed.matchAll(CLOSING)].at(-1)?.groups ?? {};
  count.passed += Number(passed ?? 0);
  const isFailed = exitCode !== 0 || passed === undefined;
  count.failed += Math.max(Number(failed ?? 0), isFailed ? 1 : 0);
  say(`${script}: ${((performance.now() - began) / 1000).toFixed(0)} s, exit code ${exitCode}`);
}
