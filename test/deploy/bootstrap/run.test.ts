import { access, chmod, cp, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { debianRelease } from '../../../deploy/bootstrap/debian-release.mjs';
import { needsOf } from '../../../deploy/bootstrap/needs.mjs';
import { nodeForNpm } from '../../../deploy/bootstrap/npm-packages.mjs';
import { stillAlive } from '../../support/processes.ts';
import { outputOf, type WatchedProgram, watchProgram } from '../../support/programs.ts';
import { assert, withFixture } from '../../support/suite.ts';

const BOOTSTRAP = join(import.meta.dirname, '..', '..', '..', 'deploy', 'bootstrap');

/** The usage message of `npm test`, relative to the bootstrap. */
const USAGE = '../../test/support/runner/usage.mjs';

/** Beyond this, a run is considered hung. */
const RUN_WITHIN_MS = 60_000;
const LOOK_EVERY_MS = 20;

/**
 * Replaces dpkg-query, apt-get, dpkg and npm: runs the script `<name>.does`, if any, and logs calls
 * that would change a machine in `calls`.
 */
const FAKE = `#!/bin/sh
name=\${0##*/}
[ "$name" = dpkg-query ] || echo "$name $*" >> "$MACHINE/calls"
[ ! -e "$MACHINE/$name.does" ] || . "$MACHINE/$name.does"
`;

type FakeName = 'dpkg-query' | 'apt-get' | 'dpkg' | 'npm';

/** Real programs used by the bootstrap and the fakes. Their PATH contains nothing else. */
const REAL = ['sh', 'flock', 'ln', 'mkdir', 'setpriv', 'setsid', 'sleep', 'touch'];

/** Acts like `npm ci` on node_modules. Omits optional packages unless OPTIONAL is set. */
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

const INSTALLS = `'${process.execPath}' "$MACHINE/npm.mjs" "$@"`;

/** The fake dpkg-query's default: every requested package is installed. */
const EVERYTHING_INSTALLED = `for name in "$@"; do case $name in --*) ;; *) echo "installed $name";; esac; done`;

function lockfile(version: string, more: object = {}): string {
  const packages = {
    '': {},
    'node_modules/one': { version },
    'node_modules/two': { version, dev: true },
    'node_modules/other-machine': { version, optional: true, os: ['linux'], cpu: ['s390x'] },
    ...more,
  };
  return JSON.stringify({ lockfileVersion: 3, packages });
}

/** A program for the bootstrap to run: prints its arguments; the first selects how it ends. */
const TARGET = `
  import { spawnSync } from 'node:child_process';
  process.on('SIGTERM', () => { console.log('SIGTERM'); process.exit(9); });
  process.on('SIGINT', () => console.log('SIGINT'));
  const [what] = process.argv.slice(2);
  console.log(JSON.stringify({ args: process.argv.slice(2), node: process.execPath }));
  if (what === 'promtool') console.log(spawnSync('promtool', { encoding: 'utf8' }).stdout);
  if (what === 'wait') setInterval(() => {}, 1000);
  if (what === 'fail') process.exit(3);
`;

interface Circumstances {
  /** Defaults to root. */
  readonly uid?: number;
  /** Version of the machine's own Node. */
  readonly node?: string;
  readonly clockStands?: boolean;
}

/** A checkout, with a space in its path, on a machine with fake package managers. */
const test = withFixture('bootstrap', async (root) => {
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
  await mkdir(join(checkout, 'test', 'support', 'runner'), { recursive: true });
  await cp(join(BOOTSTRAP, USAGE), join(checkout, 'deploy', 'bootstrap', USAGE));
  for (const name of ['prometheus', 'promtool']) await symlink('/usr/bin/true', join(bin, name));
  for (const name of ['dpkg-query', 'apt-get', 'dpkg', 'npm']) {
    await writeFile(join(bin, name), FAKE);
    await chmod(join(bin, name), 0o755);
  }
  const program = (name: FakeName, does: string): Promise<void> =>
    writeFile(join(root, `${name}.does`), `${does}\n`);
  await program('npm', INSTALLS);
  await program('dpkg-query', EVERYTHING_INSTALLED);
  const bootstrap = join(checkout, 'deploy', 'bootstrap', 'run.mjs');
  const start = (args: readonly string[], circumstances: Circumstances = {}): WatchedProgram => {
    const env = { PATH: bin, MACHINE: root, NODE_OPTIONS: preload(circumstances) };
    const program = [process.execPath, bootstrap, ...args] as const;
    return watchProgram(program, { cwd: checkout, env, withinMs: RUN_WITHIN_MS });
  };
  return {
    checkout,
    start,
    program,
    run: (...how: Parameters<typeof start>) => start(...how).ended(),
    without: (name: string) => rm(join(bin, name)),
    provide: (name: string) => symlink('/usr/bin/true', join(bin, name)),
    /** Calls of the fake programs so far as `name arguments`, without dpkg-query. */
    calls: async () => {
      const log = await readFile(join(root, 'calls'), 'utf8').catch(() => '');
      return log.split('\n').filter((line) => line !== '');
    },
  };
});

async function appears(file: string): Promise<void> {
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

/** An apt-get without a network, whose `update` still succeeds. */
const NO_MIRROR = `
  case "$*" in
    *update) echo "W: Failed to fetch http://deb/InRelease  Temporary failure resolving 'deb'";;
    *) echo "E: Unable to locate package qpdf"; exit 100;;
  esac`;
/** An apt-get that finds the packages once its lists are updated, despite a warning. */
const AFTER_UPDATE = `
  case "$*" in
    *update) touch "$MACHINE/lists"; echo "W: Temporary failure resolving 'other'";;
    *) [ -e "$MACHINE/lists" ] || exit 100;;
  esac`;
const ALL_OF_TESTS = [
  'scanimage',
  'ocrmypdf',
  'tesseract',
  'gs',
  'qpdf',
  'python3',
  'curl',
  'chromium-headless-shell',
  'java',
  'openssl',
];

interface Run {
  readonly does?: Partial<Record<FakeName, string>>;
  readonly without?: readonly string[];
  readonly provided?: readonly string[];
  readonly target?: string;
  readonly on?: Circumstances;
  /** The expected error, which must prevent the program from running. */
  readonly fails?: RegExp;
  readonly calls?: readonly RegExp[];
}
const RUNS: Readonly<Record<string, Run>> = {
  'refuses a program without declared requirements': {
    target: 'service/other.ts',
    fails: /No set-up is known for "service\/other\.ts"/,
  },
  'refuses a Node that is too old before anything is installed': {
    target: 'test/check.ts',
    on: { node: '18.20.4' },
    fails: /^This is Node\.js 18\.20\.4, and 20 or later is needed\. [^\n]+\n$/,
    calls: [],
  },
  'installs missing Debian packages without their recommendations, asking nothing': {
    does: {
      'dpkg-query': 'echo "installed sane-utils"; echo "config-files qpdf"',
      'apt-get': '[ "$DEBIAN_FRONTEND" = noninteractive ]',
    },
    calls: [
      /^apt-get (?!.*sane-utils).*--no-remove install --yes --no-install-recommends .*sane-airscan .* qpdf .* poppler-utils .* libactivation-java python3-jinja2 openssl util-linux$/,
      /^npm ci/,
    ],
  },
  'updates the package lists if packages are missing, and ignores a failing source': {
    does: { 'dpkg-query': '', 'apt-get': AFTER_UPDATE },
    calls: [/install/, /update/, /install/, /ci/],
  },
  'says why apt-get failed': {
    does: { 'dpkg-query': '', 'apt-get': 'echo "E: no space left"; exit 100' },
    fails: /apt-get could not install sane-utils[^]*E: no space left/,
  },
  'says that the Debian mirror cannot be reached, in one line': {
    does: { 'dpkg-query': '', 'apt-get': NO_MIRROR },
    fails:
      /\nThe Debian mirror cannot be reached\. Check the network .*\(W: .* resolving 'deb'\)\n$/,
  },
  'tells a user without root what to type before it starts anything': {
    does: { 'dpkg-query': 'echo "installed sane-utils"' },
    on: { uid: 1000 },
    fails:
      /^(?![^]*Installing)[^]*\n {2}sudo apt-get install --yes --no-install-recommends sane-airscan ocrmypdf [a-z0-9 -]+\n/,
    calls: [],
  },
  'names only the programs on a machine without Debian': {
    without: ['dpkg-query'],
    provided: ALL_OF_TESTS,
    fails: /does not run Debian[^]*Missing: pdftotext\.\n[^]*poppler-utils/,
  },
  'runs if they are installed': {
    without: ['dpkg-query'],
    provided: [...ALL_OF_TESTS, 'pdftotext'],
  },
  'names its own requirements if they are missing': {
    without: ['dpkg-query', 'setpriv'],
    target: 'test/check.ts',
    fails: /Missing: setpriv\.\n[^]*util-linux/,
  },
  'says that the npm registry cannot be reached, in one line': {
    does: { npm: 'echo "npm error code EAI_AGAIN" >&2; exit 1' },
    fails: /\nThe npm registry cannot be reached\. .*\(npm error code EAI_AGAIN\)\n$/,
  },
};
for (const [title, row] of Object.entries(RUNS)) {
  test(title, async (machine) => {
    const { does = {}, without = [], provided = [], target = 'test/run.ts', fails, calls } = row;
    for (const [name, text] of Object.entries(does))
      await machine.program(name as keyof typeof does, text);
    for (const name of without) await machine.without(name);
    for (const name of provided) await machine.provide(name);
    const { code, stdout, stderr } = await machine.run([target], row.on);
    assert.is(code, fails ? 1 : 0, stderr);
    assert.match(stderr, fails ?? '');
    if (fails) assert.is(stdout, '');
    if (!calls) return;
    const made = await machine.calls();
    assert.is(made.length, calls.length, made.join('\n'));
    for (const [index, call] of calls.entries()) assert.match(made[index] ?? '', call);
  });
}

test('runs the program; npm packages are installed once per lockfile', async (machine) => {
  const fine = await machine.run(['test/check.ts', 'one', 'two words']);
  assert.is(fine.code, 0, fine.stderr);
  assert.equal(JSON.parse(fine.stdout), { args: ['one', 'two words'], node: process.execPath });
  assert.is((await machine.run(['test/check.ts', 'fail'])).code, 3);
  const calls = await machine.calls();
  assert.is(calls.length, 1);
  assert.match(calls[0] ?? '', /^npm ci --ignore-scripts --include=optional .*--include=dev$/);
  await writeFile(join(machine.checkout, 'package-lock.json'), lockfile('2.0.0'));
  await machine.run(['test/check.ts']);
  assert.is((await machine.calls()).length, 2);
});

test('says why npm failed, and tries again the next time', async (machine) => {
  // "could not resolve" must not be taken for a missing network.
  const said = 'npm error ERESOLVE could not resolve: While resolving: koa@3.3.0';
  await machine.program('npm', `mkdir -p node_modules; echo "${said}" >&2; exit 7`);
  const failed = await machine.run(['test/check.ts']);
  assert.equal([failed.code, failed.stdout], [1, '']);
  assert.match(failed.stderr, /npm ci failed .*exit code 7[^]*While resolving: koa@3\.3\.0/);
  await machine.program('npm', INSTALLS);
  assert.is((await machine.run(['test/check.ts'])).code, 0);
});

test('knows what every script of package.json needs', async () => {
  const { scripts }: { scripts: Record<string, string> } = JSON.parse(
    await readFile('package.json', 'utf8'),
  );
  const targets = Object.values(scripts).flatMap(
    (script) => /bootstrap\/run\.mjs (?<target>\S+)/.exec(script)?.groups?.['target'] ?? [],
  );
  assert.ok(targets.length > 5, `${targets.length} scripts are started so`);
  for (const target of targets) assert.not.throws(() => needsOf(target));
});

test('needs ONNX Runtime for the demo and the tests, where Debian has it', () => {
  const needsIt = (target: string, release?: number): boolean =>
    needsOf(target, release).packages.some(({ package: name }) => name === 'python3-onnxruntime');
  for (const target of ['deploy/demo/main.ts', 'test/run.ts'])
    assert.equal(
      [needsIt(target, 12), needsIt(target, 13), needsIt(target, 14)],
      [false, true, true],
    );
  assert.is(needsIt('helpers/processor/main.ts', 13), false);
});

for (const [system, text, release] of [
  ['Debian 13', 'PRETTY_NAME="Debian GNU/Linux 13 (trixie)"\nVERSION_ID="13"\nID=debian\n', 13],
  ['Debian 12', 'ID=debian\nVERSION_ID="12"\n', 12],
  ['an unreleased Debian', 'ID=debian\nVERSION_CODENAME=forky\n', undefined],
  ['Ubuntu', 'VERSION_ID="26.04"\nID=ubuntu\nID_LIKE=debian\n', undefined],
] as const) {
  test(`finds the release of ${system}`, async ({ checkout }) => {
    const file = join(checkout, 'os-release');
    await writeFile(file, text);
    assert.is(debianRelease(file), release);
    assert.is(debianRelease(join(checkout, 'missing')), undefined);
  });
}

test('installs only once when two start together', async (machine) => {
  await machine.program('npm', `until [ -e go ]; do sleep 0.05; done; ${INSTALLS}`);
  const both = [machine.start(['test/check.ts']), machine.start(['test/check.ts'])];
  await Promise.race(both.map(({ printed }) => printed('Another set-up is running')));
  await writeFile(join(machine.checkout, 'go'), '');
  for (const { ended } of both) assert.is((await ended()).code, 0);
  assert.is((await machine.calls()).length, 1);
});

for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
  test(`${signal} stops a set-up, without running the program or holding up the next one`, async (machine) => {
    // This npm runs longer than the bootstrap waits for its end.
    await machine.program('npm', 'echo $$ > started; exec sleep 600');
    const { child, ended } = machine.start(['test/check.ts']);
    await appears(join(machine.checkout, 'started'));
    child.kill(signal);
    const { stdout } = await ended();
    assert.equal([child.signalCode, stdout], [signal, '']);
    const npm = Number(await readFile(join(machine.checkout, 'started'), 'utf8'));
    assert.equal(await stillAlive([npm]), []);
    await machine.program('npm', INSTALLS);
    assert.is((await machine.run(['test/check.ts'])).code, 0);
  });
}

test('forwards a signal to the program once, and exits with its code', async (machine) => {
  // Stopping the clock makes the two signals simultaneous, however busy the machine is.
  const { child, printed, ended } = machine.start(['test/check.ts', 'wait'], { clockStands: true });
  await printed('wait');
  // A Ctrl-C under npm arrives twice: from the terminal and, a moment later, from npm.
  child.kill('SIGINT');
  await printed('SIGINT');
  child.kill('SIGINT');
  child.kill('SIGTERM');
  const { code, stdout } = await ended();
  assert.is(code, 9);
  assert.is(stdout.match(/SIGINT/g)?.length, 1);
});

test('ends the program when it is killed', async (machine) => {
  const { child, printed, ended } = machine.start(['test/check.ts', 'wait']);
  await printed('wait');
  child.kill('SIGKILL');
  assert.match((await ended()).stdout, /SIGTERM/);
});

test('lets dpkg finish after a signal, to avoid an incomplete installation', async (machine) => {
  await machine.program('dpkg-query', '');
  await machine.program(
    'apt-get',
    'echo x > started; until [ -e go ]; do sleep 0.05; done; echo y > finished',
  );
  const { child, ended } = machine.start(['test/run.ts']);
  await appears(join(machine.checkout, 'started'));
  child.kill('SIGTERM');
  await writeFile(join(machine.checkout, 'go'), '');
  await ended();
  assert.is(child.signalCode, 'SIGTERM');
  await appears(join(machine.checkout, 'finished'));
});

/** Per Debian release: the programs that packages provide, and the downloads for the rest. */
const UNPACKED: Readonly<Record<string, readonly [brought: string, downloads: readonly string[]]>> =
  {
    'Debian 12': ['prometheus promtool', ['prometheus']],
    'Debian 13': ['$name', ['prometheus', 'promtool']],
  };
for (const [release, [brought, downloads]] of Object.entries(UNPACKED)) {
  test(`only unpacks packages whose installation would start a service, on ${release}`, async (machine) => {
    for (const program of ['prometheus', 'promtool']) await machine.without(program);
    await machine.program('apt-get', 'for name; do :; done; touch "${name}_2_amd64.deb"');
    const unpacks = `name=\${2%%_*}; mkdir -p usr/bin; for one in ${brought}; do ln -s "$MACHINE/it" usr/bin/$one; done`;
    await machine.program('dpkg', unpacks);
    const program = join(machine.checkout, '..', 'it');
    await writeFile(program, '#!/bin/sh\necho it checks\n', { mode: 0o755 });
    for (const _ of ['first', 'second']) {
      const { code, stdout, stderr } = await machine.run(['test/run.ts', 'promtool']);
      assert.is(code, 0, stderr);
      assert.match(stdout, '\nit checks\n');
    }
    const calls = await machine.calls();
    assert.not.match(calls.join('\n'), / install /);
    const downloaded = calls.flatMap((call) => / download (\S+)$/.exec(call)?.[1] ?? []);
    assert.equal(downloaded, downloads);
  });
}

test('shows the usage of the tests, and what would be installed, before installing it', async (machine) => {
  await machine.without('prometheus');
  await machine.program('dpkg-query', 'echo "installed sane-utils"');
  const asked = { node: '20.19.2', uid: 1000 };
  const { code, stdout } = await machine.run(['test/run.ts', '--help'], asked);
  assert.is(code, 0);
  assert.match(stdout, /^Usage: npm test -- /);
  const first =
    /\nIt first installs: Node 24 into \.tools, npm packages .*, the programs of the Debian package prometheus into \.tools, sane-airscan, /;
  assert.match(stdout, first);
  assert.equal(await machine.calls(), []);
});

test('installs no Debian packages just to show help', async (machine) => {
  await machine.program('dpkg-query', '');
  const { code, stdout } = await machine.run(['service/main.ts', '--help'], { uid: 1000 });
  assert.is(code, 0);
  assert.match(stdout, '"args":["--help"]');
  const calls = await machine.calls();
  assert.equal(
    calls.map((call) => call.slice(0, 6)),
    ['npm ci'],
  );
});

test('leaves development packages out until something needs them', async (machine) => {
  await machine.run(['service/main.ts']);
  await machine.run(['test/check.ts']);
  await machine.run(['service/main.ts']);
  const kinds = (await machine.calls()).map((call) => /--(?:include=dev|omit=dev)/.exec(call)?.[0]);
  assert.equal(kinds, ['--omit=dev', '--include=dev']);
  await writeFile(join(machine.checkout, 'package-lock.json'), lockfile('2.0.0'));
  await machine.run(['service/main.ts']);
  assert.match((await machine.calls()).at(-1) ?? '', /--include=dev/);
});

test('installs and uses its own Node if the machine has an old one', async (machine) => {
  const folder = `node_modules/node-linux-${process.arch}/bin`;
  const node = `mkdir -p ${folder} && ln -sf '${process.execPath}' ${folder}/node`;
  const own = `OPTIONAL=yes ${INSTALLS}; ${node}`;
  await machine.program('npm', `case $PWD in */.tools/node) ${own};; *) ${INSTALLS};; esac`);
  for (const _ of ['first', 'second']) {
    const result = await machine.run(['test/check.ts'], { node: '20.19.2' });
    assert.is(result.code, 0, result.stderr);
  }
  assert.is((await machine.calls()).length, 2, 'once for Node, once for the packages');
  const lockfiles = await Promise.all(
    ['.tools/node', 'deploy/bootstrap/node'].map((path) =>
      readFile(join(machine.checkout, path, 'package-lock.json'), 'utf8'),
    ),
  );
  assert.is(lockfiles[0], lockfiles[1]);
});

test('accepts packages installed by hand, as by deploy/systemd', async (machine) => {
  const env = { MACHINE: join(machine.checkout, '..') };
  await outputOf('sh', ['-c', INSTALLS, 'npm', 'ci'], { cwd: machine.checkout, env });
  assert.is((await machine.run(['service/main.ts'])).code, 0);
  assert.equal(await machine.calls(), []);
});

test('runs npm with the Node of the set-up, since an old one would skip binaries', () => {
  const programs = { own: '/usr/bin/node', pinned: '/opt/node' };
  const chosen = (version: string): string => nodeForNpm(version, programs);
  const old = ['20.0.0', '20.18.3', '21.7.0', '22.11.0'];
  assert.equal(old.map(chosen), Array(4).fill('/opt/node'));
  assert.equal(['20.19.0', '22.12.0', '24.0.0'].map(chosen), Array(3).fill('/usr/bin/node'));
});

test('no binary requires a newer Node', async () => {
  const text = await readFile(join(import.meta.dirname, '../../../package-lock.json'), 'utf8');
  const { packages } = JSON.parse(text) as {
    packages: Record<string, { os?: string[]; engines?: { node?: string } }>;
  };
  const needs = Object.values(packages).flatMap(({ os, engines }) =>
    os?.includes('linux') ? (engines?.node ?? []) : [],
  );
  // Any minimum up to Node 20 accepts 20.19. The only other range is the one under test.
  const others = needs.filter((need) => !/^>= ?(?:\d|1\d|20)(?:\.\d+)*$/.test(need));
  assert.equal([...new Set(others)], ['^20.19.0 || >=22.12.0']);
});

test('reports a binary that npm could not fetch for this machine', async (machine) => {
  const binary = { version: '1.0.0', optional: true, os: [process.platform], cpu: [process.arch] };
  const binaries = {
    'node_modules/@img/binary': { ...binary, libc: ['glibc'] },
    'node_modules/@img/binary-musl': { ...binary, libc: ['musl'] },
  };
  await writeFile(join(machine.checkout, 'package-lock.json'), lockfile('1.0.0', binaries));
  const failed = await machine.run(['test/check.ts']);
  assert.equal([failed.code, failed.stdout], [1, '']);
  const said = /npm left out @img\/binary, which this machine needs\. .*registry can be reached/;
  assert.match(failed.stderr, said);
  await machine.program('npm', `OPTIONAL=yes; export OPTIONAL; ${INSTALLS}`);
  assert.is((await machine.run(['test/check.ts'])).code, 0);
});
