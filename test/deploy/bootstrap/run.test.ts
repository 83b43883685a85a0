import { readFile, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { spawn } from 'node:child_process';
import { nodeForNpm } from '../../../deploy/bootstrap/npm-packages.mjs';
import { stillAlive } from '../../support/processes.ts';
import { needsOf } from '../../../deploy/bootstrap/needs.mjs';
import { within } from '../../support/within.ts';
import {
  appears,
  createMachine,
  ended,
  EVERYTHING_INSTALLED,
  INSTALLS,
  lockfile,
  says,
  type Machine,
} from './machine.ts';

const SIGNAL_WITHIN_MS = 60_000;

const test = suite<{ machine: Machine }>('bootstrap');

test.before.each(async (context) => {
  context.machine = await createMachine();
  await context.machine.program('dpkg-query', EVERYTHING_INSTALLED);
});

test.after.each(async ({ machine }) => {
  await machine.remove();
});

test('runs the program with its arguments, and ends with its exit code', async ({ machine }) => {
  const fine = await machine.run(['test/check.ts', 'one', 'two words']);
  assert.is(fine.code, 0, fine.stderr);
  assert.equal(JSON.parse(fine.stdout), { args: ['one', 'two words'], node: process.execPath });
  assert.is((await machine.run(['test/check.ts', 'fail'])).code, 3);
});

test('refuses a program whose needs nobody wrote down', async ({ machine }) => {
  const result = await machine.run(['service/other.ts']);
  assert.is(result.code, 1);
  assert.match(result.stderr, /No set-up is known for "service\/other\.ts"/);
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

test('installs at once only one of two that start together', async ({ machine }) => {
  await machine.program('npm', `until [ -e go ]; do sleep 0.05; done; ${INSTALLS}`);
  const children = [machine.start(['test/check.ts']), machine.start(['test/check.ts'])];
  const results = Promise.all(children.map(ended));
  await Promise.race(children.map((child) => says(child, 'Another set-up is running')));
  await writeFile(join(machine.checkout, 'go'), '');
  assert.equal(
    (await results).map((result) => result.code),
    [0, 0],
  );
  assert.is((await machine.calls()).length, 1);
});

test('is not held up by a set-up that was killed', async ({ machine }) => {
  await machine.program('npm', 'echo started > started; exec sleep 60');
  const killed = machine.start(['test/check.ts']);
  await appears(join(machine.checkout, 'started'));
  killed.kill('SIGKILL');
  await once(killed, 'close');
  await machine.program('npm', INSTALLS);
  assert.is((await machine.run(['test/check.ts'])).code, 0);
});

test('installs missing Debian packages without their recommendations, asking nothing', async ({
  machine,
}) => {
  await machine.program('dpkg-query', 'echo "installed sane-utils"; echo "config-files qpdf"');
  await machine.program('apt-get', 'echo "$DEBIAN_FRONTEND" >> "$MACHINE/frontend"');
  const result = await machine.run(['test/run.ts']);
  assert.is(result.code, 0, result.stderr);
  const [install, npm] = await machine.calls();
  assert.match(install ?? '', /^apt-get .*--no-remove install --yes --no-install-recommends /);
  assert.match(
    install ?? '',
    / sane-airscan .* qpdf .* poppler-utils .* libactivation-java .* python3-jinja2 util-linux$/,
  );
  assert.not.match(install ?? '', /sane-utils/);
  assert.match(npm ?? '', /^npm ci/);
  assert.is(await readFile(join(machine.checkout, '..', 'frontend'), 'utf8'), 'noninteractive\n');
});

test('updates the package lists where packages cannot be had', async ({ machine }) => {
  await machine.program('dpkg-query', '');
  await machine.program(
    'apt-get',
    'case "$*" in *update) touch "$MACHINE/lists";; *) [ -e "$MACHINE/lists" ] || exit 100;; esac',
  );
  assert.is((await machine.run(['test/run.ts'])).code, 0);
  const steps = (await machine.calls()).map((call) => /update|install|ci/.exec(call)?.[0]);
  assert.equal(steps, ['install', 'update', 'install', 'ci']);
});

test('says why apt-get failed, and runs nothing', async ({ machine }) => {
  await machine.program('dpkg-query', '');
  await machine.program('apt-get', 'echo "E: no space left"; exit 100');
  const result = await machine.run(['test/run.ts']);
  assert.is(result.code, 1);
  assert.match(result.stderr, /apt-get could not install sane-utils[^]*E: no space left/);
  assert.is(result.stdout, '');
});

test('tells a user without root rights what to type, before anything is half done', async ({
  machine,
}) => {
  await machine.program('dpkg-query', 'echo "installed sane-utils"');
  const result = await machine.run(['test/run.ts'], { uid: 1000 });
  assert.is(result.code, 1);
  assert.match(
    result.stderr,
    /^ {2}sudo apt-get install --yes --no-install-recommends sane-airscan ocrmypdf [a-z0-9 -]+$/m,
  );
  assert.not.match(result.stderr, /Installing/);
  assert.equal(await machine.calls(), []);
});

test('asks only for the programs themselves on a machine that is no Debian', async ({
  machine,
}) => {
  await machine.without('dpkg-query');
  const there = [
    'scanimage',
    'ocrmypdf',
    'tesseract',
    'gs',
    'qpdf',
    'python3',
    'curl',
    'chromium',
    'java',
    'promtool',
  ];
  for (const name of there) await machine.provide(name);
  const missing = await machine.run(['test/run.ts']);
  assert.is(missing.code, 1);
  assert.match(missing.stderr, /does not run Debian[^]*Missing: pdftotext\.\n[^]*poppler-utils/);
  await machine.provide('pdftotext');
  assert.is((await machine.run(['test/run.ts'])).code, 0);
});

test('says what it needs itself on a machine that has not even that', async ({ machine }) => {
  await machine.without('dpkg-query');
  await machine.without('setpriv');
  const { code, stderr } = await machine.run(['test/check.ts']);
  assert.is(code, 1);
  assert.match(stderr, /Missing: setpriv\.\n[^]*util-linux/);
});

test('passes a signal on to the program once, and ends with its exit code', async ({ machine }) => {
  // It takes no time between the two, however busy this machine is.
  const child = machine.start(['test/check.ts', 'wait'], { clockStands: true });
  const result = ended(child);
  await once(child.stdout ?? child, 'data');
  // As a Ctrl-C under npm: from the terminal and, a moment later, from npm.
  child.kill('SIGINT');
  await once(child.stdout ?? child, 'data');
  child.kill('SIGINT');
  child.kill('SIGTERM');
  const { code, stdout } = await within(SIGNAL_WITHIN_MS, result);
  assert.is(code, 9);
  assert.is(stdout.match(/SIGINT/g)?.length, 1);
});

test('takes the program with it when it is killed', async ({ machine }) => {
  const child = machine.start(['test/check.ts', 'wait']);
  const result = ended(child);
  await once(child.stdout ?? child, 'data');
  child.kill('SIGKILL');
  assert.match((await within(SIGNAL_WITHIN_MS, result)).stdout, /SIGTERM/);
});

test('stops a set-up at a signal, without running the program', async ({ machine }) => {
  await machine.program('npm', 'echo $$ > started; exec sleep 60');
  const child = machine.start(['test/check.ts']);
  const result = ended(child);
  await appears(join(machine.checkout, 'started'));
  child.kill('SIGTERM');
  const { stdout } = await within(SIGNAL_WITHIN_MS, result);
  assert.equal([child.signalCode, stdout], ['SIGTERM', '']);
  const npm = Number(await readFile(join(machine.checkout, 'started'), 'utf8'));
  assert.equal(await stillAlive([npm]), []);
});

test('lets dpkg finish at a signal: half an installation is worse than a wait', async ({
  machine,
}) => {
  await machine.program('dpkg-query', '');
  await machine.program(
    'apt-get',
    'echo x > started; until [ -e go ]; do sleep 0.05; done; echo y > finished',
  );
  const child = machine.start(['test/run.ts']);
  const result = ended(child);
  await appears(join(machine.checkout, 'started'));
  child.kill('SIGTERM');
  await writeFile(join(machine.checkout, 'go'), '');
  await within(SIGNAL_WITHIN_MS, result);
  assert.is(child.signalCode, 'SIGTERM');
  await appears(join(machine.checkout, 'finished'));
});

test('installs npm packages by the lockfile, once, and runs no script of theirs', async ({
  machine,
}) => {
  await machine.run(['test/check.ts']);
  await machine.run(['test/check.ts']);
  const calls = await machine.calls();
  assert.is(calls.length, 1);
  assert.match(calls[0] ?? '', /^npm ci --ignore-scripts --include=optional .*--include=dev$/);
});

test('installs npm packages again when the lockfile changes', async ({ machine }) => {
  await machine.run(['test/check.ts']);
  await writeFile(join(machine.checkout, 'package-lock.json'), lockfile('2.0.0'));
  await machine.run(['test/check.ts']);
  assert.is((await machine.calls()).length, 2);
});

test('leaves development packages out where nothing needs them, and keeps them once they are there', async ({
  machine,
}) => {
  await machine.run(['service/main.ts']);
  await machine.run(['test/check.ts']);
  await machine.run(['service/main.ts']);
  const kinds = (await machine.calls()).map((call) => /--(?:include=dev|omit=dev)/.exec(call)?.[0]);
  assert.equal(kinds, ['--omit=dev', '--include=dev']);
  await writeFile(join(machine.checkout, 'package-lock.json'), lockfile('2.0.0'));
  await machine.run(['service/main.ts']);
  assert.match((await machine.calls()).at(-1) ?? '', /--include=dev/);
});

test('says why npm failed, runs nothing, and tries again the next time', async ({ machine }) => {
  await machine.program('npm', 'mkdir -p node_modules; echo "network is down" >&2; exit 7');
  const failed = await machine.run(['test/check.ts']);
  assert.is(failed.code, 1);
  assert.is(failed.stdout, '');
  assert.match(failed.stderr, /npm ci failed .*exit code 7[^]*network is down/);
  await machine.program('npm', INSTALLS);
  assert.is((await machine.run(['test/check.ts'])).code, 0);
});

test('installs its own Node where that of the machine is too old, and runs the program with it', async ({
  machine,
}) => {
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

test('takes packages that were installed by hand, as deploy/systemd does', async ({ machine }) => {
  const env = { ...process.env, MACHINE: join(machine.checkout, '..') };
  const npm = spawn('sh', ['-c', INSTALLS, 'npm', 'ci'], { cwd: machine.checkout, env });
  await once(npm, 'close');
  assert.is((await machine.run(['service/main.ts'])).code, 0);
  assert.equal(await machine.calls(), []);
});

test('runs npm with the Node of the set-up where it has one that is old enough to leave binaries out', () => {
  const programs = { own: '/usr/bin/node', pinned: '/opt/node' };
  const chosen = (version: string): string => nodeForNpm(version, programs);
  const old = ['20.0.0', '20.18.3', '21.7.0', '22.11.0'];
  assert.equal(old.map(chosen), Array(4).fill('/opt/node'));
  assert.equal(['20.19.0', '22.12.0', '24.0.0'].map(chosen), Array(3).fill('/usr/bin/node'));
});

test('needs no newer Node than that for any binary', async () => {
  const text = await readFile(join(import.meta.dirname, '../../../package-lock.json'), 'utf8');
  const { packages } = JSON.parse(text) as {
    packages: Record<string, { os?: string[]; engines?: { node?: string } }>;
  };
  const needs = Object.values(packages).flatMap(({ os, engines }) =>
    os?.includes('linux') ? (engines?.node ?? []) : [],
  );
  // Whatever needs at least some Node up to 20 is content with 20.19; the only other range is the one that the choice is made for.
  const others = needs.filter((need) => !/^>= ?(?:\d|1\d|20)(?:\.\d+)*$/.test(need));
  assert.equal([...new Set(others)], ['^20.19.0 || >=22.12.0']);
});

test('says so when npm left out a binary for this machine, which it does when it cannot be fetched', async ({
  machine,
}) => {
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

/** As apt-get says it, which ends an update without a network well. */
const APT = `
  case "$*" in
    *update) echo "W: Failed to fetch http://deb/InRelease  Temporary failure resolving 'deb'";;
    *) echo "E: Unable to locate package qpdf"; exit 100;;
  esac`;

test('a Node that is too old is refused before anything is installed', async ({ machine }) => {
  const { code, stderr } = await machine.run(['test/check.ts'], { node: '18.20.4' });
  assert.is(code, 1);
  assert.match(stderr, /^This is Node\.js 18\.20\.4, and 20 or later is needed\. [^\n]+\n$/);
  assert.equal(await machine.calls(), []);
});

test('Debian packages that cannot be fetched are a missing network, in one line', async ({
  machine,
}) => {
  await machine.program('dpkg-query', '');
  await machine.program('apt-get', APT);
  const { code, stderr } = await machine.run(['test/run.ts']);
  assert.is(code, 1);
  assert.match(
    stderr,
    /\nThe Debian mirror cannot be reached\. Check the network .*\(W: .* resolving 'deb'\)\n$/,
  );
});

test('a source of packages that is down does not matter where the others have them', async ({
  machine,
}) => {
  await machine.program('dpkg-query', '');
  await machine.program(
    'apt-get',
    `case "$*" in
      *update) touch "$MACHINE/lists"; echo "W: Temporary failure resolving 'other'";;
      *) [ -e "$MACHINE/lists" ] || exit 100;;
    esac`,
  );
  assert.is((await machine.run(['test/run.ts'])).code, 0);
});

test('versions that npm cannot bring together are no missing network', async ({ machine }) => {
  const says = ['ERESOLVE could not resolve', 'While resolving: koa@3.3.0'];
  await machine.program('npm', `printf 'npm error %s\\n' '${says.join("' '")}' >&2; exit 1`);
  const { stderr } = await machine.run(['test/check.ts']);
  assert.match(stderr, /npm ci failed .*exit code 1[^]*While resolving: koa@3\.3\.0/);
});

test('npm packages that cannot be fetched are a missing network, in one line', async ({
  machine,
}) => {
  await machine.program('npm', 'echo "npm error code EAI_AGAIN" >&2; exit 1');
  const { code, stderr } = await machine.run(['test/check.ts']);
  assert.is(code, 1);
  assert.match(stderr, /\nThe npm registry cannot be reached\. .*\(npm error code EAI_AGAIN\)\n$/);
});

test.run();
