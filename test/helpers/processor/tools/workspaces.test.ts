import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createWorkspaces, isFull } from '../../../../helpers/processor/tools/workspaces.ts';
import { outputOf } from '../../../support/programs.ts';
import { takeAllDescriptors } from '../../../support/take-all-descriptors.ts';
import { assert, withFixture } from '../../../support/suite.ts';

const test = withFixture('workspaces', async (directory) => {
  return { root: directory };
});

/** Process id of a process that has ended. */
const endedPid = async (): Promise<number> => Number(await outputOf('sh', ['-c', 'echo $$']));

test('gives each request an empty directory that nobody else can read', async ({ root }) => {
  const workspaces = await createWorkspaces(root);
  const [one, other] = [await workspaces.create(), await workspaces.create()];
  assert.is.not(one.directory, other.directory);
  assert.equal(await readdir(one.directory), []);
  assert.is((await stat(one.directory)).mode & 0o777, 0o700);
});

test('removes what a request left, and a second time does no harm', async ({ root }) => {
  const workspaces = await createWorkspaces(root);
  const workspace = await workspaces.create();
  const { directory } = workspace;
  await mkdir(path.join(directory, 'deep'));
  await writeFile(path.join(directory, 'deep/file'), 'x');
  await workspace.remove();
  await workspace.remove();
  assert.equal(await readdir(path.dirname(directory)), []);
});

test('what cannot be removed for now is removed with the next one', async ({ root }) => {
  const workspaces = await createWorkspaces(root);
  const [one, other] = [await workspaces.create(), await workspaces.create()];
  await writeFile(path.join(one.directory, 'page.pdf'), 'x');
  const giveBack = await takeAllDescriptors();
  try {
    await one.remove();
  } finally {
    await giveBack();
  }
  assert.is((await readdir(path.dirname(one.directory))).length, 2);
  await other.remove();
  assert.equal(await readdir(path.dirname(one.directory)), []);
});

test('removes everything in the end', async ({ root }) => {
  const workspaces = await createWorkspaces(root);
  await writeFile(path.join((await workspaces.create()).directory, 'file'), 'x');
  await workspaces.removeAll();
  assert.equal(await readdir(root), []);
});

for (const what of ['its own directory', 'its root']) {
  test(`goes on after ${what} was removed by somebody`, async ({ root: parent }) => {
    const root = path.join(parent, 'not/there/yet');
    const workspaces = await createWorkspaces(root);
    const own = path.dirname((await workspaces.create()).directory);
    await rm(what === 'its root' ? root : own, { recursive: true });
    const created = await Promise.all([1, 2, 3].map(() => workspaces.create()));
    for (const { directory } of created) {
      assert.is((await stat(path.dirname(directory))).mode & 0o777, 0o700);
      await writeFile(path.join(directory, 'file'), 'x');
    }
    assert.is(new Set(created.map(({ directory }) => directory)).size, 3);
    await workspaces.removeAll();
    assert.equal(await readdir(root), []);
  });
}

test('removes what killed processors left, and nothing else', async ({ root }) => {
  const dead = `scan-processor-${await endedPid()}-abcdef`;
  const own = `scan-processor-${process.pid}-abcdef`;
  const alive = `scan-processor-${process.ppid}-abcdef`;
  const others = 'scan-processor-x';
  for (const name of [dead, own, alive, others])
    await mkdir(path.join(root, name, 'request-1'), { recursive: true });
  await createWorkspaces(root);
  const left = await readdir(root);
  const isLeft = [dead, own, alive, others].map((name) => left.includes(name));
  assert.equal(isLeft, [false, false, true, true]);
});

test('tells a full file system from one with room', async ({ root }) => {
  assert.is(await isFull(root), false);
  // A file system without any space: /proc.
  assert.is(await isFull('/proc'), true);
});
