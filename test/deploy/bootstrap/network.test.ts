import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createMachine, type Machine } from './machine.ts';

const test = suite<{ machine: Machine }>('bootstrap of a machine that is not ready for it');

test.before.each(async (context) => {
  context.machine = await createMachine();
});

test.after.each(async ({ machine }) => {
  await machine.remove();
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
  await machine.program(
    'apt-get',
    `case "$*" in
      *update) touch "$MACHINE/lists"; echo "W: Temporary failure resolving 'other'";;
      *) [ -e "$MACHINE/lists" ] || exit 100;;
    esac`,
  );
  assert.is((await machine.run(['test/run.ts'])).code, 0);
});

test('npm packages that cannot be fetched are a missing network, in one line', async ({
  machine,
}) => {
  await machine.program('dpkg-query', 'for name in "$@"; do echo "installed $name"; done');
  await machine.program('npm', 'echo "npm error code EAI_AGAIN" >&2; exit 1');
  const { code, stderr } = await machine.run(['test/check.ts']);
  assert.is(code, 1);
  assert.match(stderr, /\nThe npm registry cannot be reached\. .*\(npm error code EAI_AGAIN\)\n$/);
});

test.run();
