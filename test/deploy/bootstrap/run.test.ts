import { readFile, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { needsOf } from '../../../deploy/bootstrap/needs.mjs';
import { within } from '../../support/within.ts';
import {
  appears,
  createMachine,
  ended,
  EVERYTHING_INSTALLED,
  INSTALLS,
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
  const [download, install, npm] = await machine.calls();
  assert.match(download ?? '', /^apt-get .*--no-remove --download-only install --yes /);
  assert.match(install ?? '', /^apt-get .*--no-remove install --yes --no-install-recommends /);
  assert.match(
    install ?? '',
    / sane-airscan .* qpdf .* poppler-utils .* libactivation-java .* python3-jinja2$/,
  );
  assert.not.match(install ?? '', /sane-utils/);
  assert.match(npm ?? '', /^npm ci/);
  assert.is(
    await readFile(join(machine.checkout, '..', 'frontend'), 'utf8'),
    'noninteractive\n'.repeat(2),
  );
});

test('updates the package lists where packages cannot be had', async ({ machine }) => {
  await machine.program('dpkg-query', '');
  await machine.program(
    'apt-get',
    'case "$*" in *update) touch "$MACHINE/lists";; *) [ -e "$MACHINE/lists" ] || exit 100;; esac',
  );
  assert.is((await machine.run(['test/run.ts'])).code, 0);
  const steps = (await machine.calls()).map(
    (call) => /update|download-only|install|ci/.exec(call)?.[0],
  );
  assert.equal(steps, ['download-only', 'update', 'download-only', 'install', 'ci']);
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

test('needs no root rights where nothing is missing for all users', async ({ machine }) => {
  assert.is((await machine.run(['test/run.ts'], { uid: 1000 })).code, 0);
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

test('takes the program with it when npm is killed, which tells nobody', async ({ machine }) => {
  const child = machine.startUnderNpm(['test/check.ts', 'wait']);
  const result = ended(child);
  await once(child.stdout ?? child, 'data');
  child.kill('SIGKILL');
  assert.match((await within(SIGNAL_WITHIN_MS, result)).stdout, /SIGTERM/);
});

test('stops a set-up at a signal, without running the program', async ({ machine }) => {
  await machine.program('npm', 'echo started > started; exec sleep 60');
  const child = machine.start(['test/check.ts']);
  const result = ended(child);
  await appears(join(machine.checkout, 'started'));
  child.kill('SIGINT');
  const { code, stdout } = await within(SIGNAL_WITHIN_MS, result);
  assert.is(code, 130);
  assert.is(stdout, '');
});

test('lets dpkg finish at a signal: half an installation is worse than a wait', async ({
  machine,
}) => {
  await machine.program('dpkg-query', '');
  await machine.program(
    'apt-get',
    'case "$*" in *download-only*) ;; *) echo x > started; trap "" TERM; until [ -e go ]; do sleep 0.05; done; sleep 1; echo y > finished;; esac',
  );
  const child = machine.start(['test/run.ts']);
  const result = ended(child);
  await appears(join(machine.checkout, 'started'));
  child.kill('SIGTERM');
  await writeFile(join(machine.checkout, 'go'), '');
  assert.is((await within(SIGNAL_WITHIN_MS, result)).code, 143);
  assert.is(await readFile(join(machine.checkout, 'finished'), 'utf8'), 'y\n');
});

test('stops waiting for another set-up at a signal', async ({ machine }) => {
  await machine.program('npm', 'echo started > started; exec sleep 60');
  const first = machine.start(['test/check.ts']);
  const firstEnded = ended(first);
  await appears(join(machine.checkout, 'started'));
  const second = machine.start(['test/check.ts']);
  const secondEnded = ended(second);
  await once(second.stderr ?? second, 'data');
  second.kill('SIGINT');
  assert.is((await within(SIGNAL_WITHIN_MS, secondEnded)).code, 130);
  first.kill('SIGINT');
  assert.is((await within(SIGNAL_WITHIN_MS, firstEnded)).code, 130);
});

test.run();
