import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { nodeForNpm } from '../../../deploy/bootstrap/npm-packages.mjs';
import {
  createMachine,
  EVERYTHING_INSTALLED,
  INSTALLS,
  lockfile,
  type Machine,
} from './machine.ts';

const test = suite<{ machine: Machine }>('npm packages of the bootstrap');

test.before.each(async (context) => {
  context.machine = await createMachine();
  await context.machine.program('dpkg-query', EVERYTHING_INSTALLED);
});

test.after.each(async ({ machine }) => {
  await machine.remove();
});

const BINARY = {
  'node_modules/@img/binary': {
    version: '1.0.0',
    optional: true,
    os: [process.platform],
    cpu: [process.arch],
    libc: ['glibc'],
  },
  'node_modules/@img/binary-musl': {
    version: '1.0.0',
    optional: true,
    os: [process.platform],
    cpu: [process.arch],
    libc: ['musl'],
  },
};

test('installs npm packages by the lockfile, once, and runs no script of theirs', async ({
  machine,
}) => {
  await machine.run(['test/check.ts']);
  await machine.run(['test/check.ts']);
  const calls = await machine.calls();
  assert.is(calls.length, 1);
  assert.match(calls[0] ?? '', /^npm ci --ignore-scripts --include=optional --include=dev /);
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

test('says so when npm left its Node out, which it does when it cannot be fetched', async ({
  machine,
}) => {
  const result = await machine.run(['test/check.ts'], { node: '20.19.2' });
  assert.is(result.code, 1);
  assert.match(
    result.stderr,
    /npm left out node-linux-\w+, which this machine needs\. Check that the npm registry can be reached/,
  );
});

test('installs again when npm left out a binary for this machine, and says so if it is left out once more', async ({
  machine,
}) => {
  await writeFile(join(machine.checkout, 'package-lock.json'), lockfile('1.0.0', BINARY));
  const failed = await machine.run(['test/check.ts']);
  assert.is(failed.code, 1);
  assert.is(failed.stdout, '');
  assert.match(
    failed.stderr,
    /npm left out @img\/binary, which this machine needs\. .*npm cache clean/,
  );
  const commands = (await machine.calls()).map((call) => call.split(' ')[1]);
  assert.equal(commands, ['ci', 'ping', 'ci']);
  await machine.program(
    'npm',
    `if [ -e "$MACHINE/once" ]; then OPTIONAL=yes; export OPTIONAL; fi; touch "$MACHINE/once"; ${INSTALLS}`,
  );
  assert.is((await machine.run(['test/check.ts'])).code, 0);
  assert.is((await machine.calls()).length, 6);
});

test('says that the registry cannot be reached when that is why npm left a binary out', async ({
  machine,
}) => {
  await writeFile(join(machine.checkout, 'package-lock.json'), lockfile('1.0.0', BINARY));
  await machine.program(
    'npm',
    `case "$1" in ping) echo "npm error code EAI_AGAIN"; exit 1;; *) ${INSTALLS};; esac`,
  );
  const { code, stderr } = await machine.run(['test/check.ts']);
  assert.is(code, 1);
  assert.match(stderr, /\nThe npm registry cannot be reached\. /);
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

test.run();
