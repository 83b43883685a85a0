import { chown, mkdir, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createOperator, type Operator } from '../../../service/operator/operator.ts';
import { createOwnFiles } from '../../../service/settings/own-files.ts';
import { runScript } from '../../support/programs.ts';
import { assert, failure, withFixture } from '../../support/suite.ts';

const PROGRAM = 'deploy/setup/operator-password.ts';
const BRAKE = { check: () => {}, count: () => {} };
const USER = 10_001;

const test = withFixture('the command for a lost operator password', async (directory) => {
  const state = path.join(directory, 'state');
  await mkdir(state);
  const files = createOwnFiles(path.join(state, 'settings'));
  return {
    state,
    files,
    operator: (): Operator => createOperator({ files, brake: BRAKE }),
    run: () => runScript(PROGRAM, [], { OUTPUT_DIR: path.join(state, 'scans') }),
  };
});

const passwordIn = (output: string): string =>
  /^The operator password is now: (\S{4}(?:-\S{4}){3})$/mu.exec(output)?.[1] ?? '';

test('sets a password that works at once, ends sessions, and replaces a broken file', async ({
  files,
  operator,
  run,
}) => {
  const one = operator();
  const session = await one.claim('the lost one', async () => true);
  const first = await run();
  assert.is(first.exitCode, 0, first.stderr);
  assert.not(await one.isLoggedIn(session));
  await failure('unauthorized', one.logIn('the lost one', 'a'));
  assert.ok(await one.logIn(passwordIn(first.stdout), 'a'));
  await writeFile(files.pathOf('operator.json'), 'broken');
  const second = await run();
  assert.is.not(passwordIn(second.stdout), passwordIn(first.stdout));
  assert.ok(await one.logIn(passwordIn(second.stdout), 'a'));
});

test('run by root, leaves the files to the user of the service', async ({ state, files, run }) => {
  await chown(state, USER, USER);
  assert.is((await run()).exitCode, 0);
  for (const file of [files.root, files.pathOf('operator.json')]) {
    assert.is((await stat(file)).uid, USER, file);
  }
  assert.is((await stat(files.pathOf('operator.json'))).mode & 0o777, 0o600);
});

test('follows no link', async ({ state, files, run }) => {
  await mkdir(files.root);
  const outside = path.join(state, 'outside');
  await writeFile(outside, 'untouched');
  await symlink(outside, files.pathOf('operator.json'));
  assert.is((await run()).exitCode, 0);
  assert.is((await stat(outside)).size, 'untouched'.length);
});

test('run by root, gives away no directory of root that a link leads to', async (given) => {
  const { state, files, run } = given;
  const outside = `${state}-of-root`;
  await mkdir(outside);
  await chown(state, USER, USER);
  await symlink(outside, files.root);
  assert.is((await run()).exitCode, 0);
  assert.is((await stat(outside)).uid, 0);
});

test('reports why it cannot write', async ({ state, run }) => {
  await writeFile(path.join(state, 'settings'), 'no directory');
  const { exitCode, stderr, stdout } = await run();
  assert.is(exitCode, 1);
  assert.is(stdout, '');
  assert.match(
    stderr,
    /^The password cannot be stored in .*settings \(E[A-Z]+\)\. Run this as root/u,
  );
});
