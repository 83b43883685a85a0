import { mkdir, readdir, readFile, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { errorCode, messageOf } from '../../../helpers/error-code.ts';
import { createOwnFiles } from '../../../service/settings/own-files.ts';
import { makePipe } from '../../support/make-pipe.ts';
import { assert, rejection, withFixture } from '../../support/suite.ts';

const SECRET = 'secrets/dms_api_token';

const test = withFixture('the files of SETTINGS_DIR', async (directory) => {
  const root = path.join(directory, 'state/settings');
  return { directory, root, files: createOwnFiles(root), outside: path.join(directory, 'outside') };
});

const modeOf = async (file: string): Promise<number> => (await stat(file)).mode & 0o777;

test('are created with their directories, for the service alone', async ({ root, files }) => {
  await files.write(SECRET, 'one');
  await files.write(SECRET, 'two');
  assert.is(await files.read(SECRET), 'two');
  assert.is(await modeOf(files.pathOf(SECRET)), 0o600);
  assert.is(await modeOf(path.join(root, 'secrets')), 0o700);
  assert.is(await modeOf(root), 0o700);
});

test('are removed once, and may be missing with their directory', async ({ root, files }) => {
  await files.remove(SECRET);
  assert.is(await stat(root).catch(errorCode), 'ENOENT');
  await files.write(SECRET, 'one');
  await files.remove(SECRET);
  await files.remove(SECRET);
  assert.equal(await readdir(path.join(root, 'secrets')), []);
});

test('that are links are removed instead of what they point to', async ({ files, outside }) => {
  await writeFile(outside, 'untouched');
  await files.write('secrets/other', 'x');
  await symlink(outside, files.pathOf(SECRET));
  await files.remove(SECRET);
  assert.is(await readFile(outside, 'utf8'), 'untouched');
  assert.is(await files.read(SECRET).catch(errorCode), 'ENOENT');
});

test('are created by one of several callers', async ({ root, files }) => {
  const made = await Promise.allSettled(
    ['a', 'b', 'c', 'd'].map((text) => files.create('operator.json', text)),
  );
  const refused = made.flatMap((one) => (one.status === 'rejected' ? [errorCode(one.reason)] : []));
  assert.equal(refused, ['EEXIST', 'EEXIST', 'EEXIST']);
  assert.match(await files.read('operator.json'), /^[abcd]$/);
  assert.equal(await readdir(root), ['operator.json']);
});

test('are written without the leftovers of a killed service, which are never read', async ({
  root,
  files,
}) => {
  await files.write('settings.json', 'old');
  const [young, old] = ['settings.json.0123456789ab.tmp', 'settings.json.ba9876543210.tmp'];
  for (const name of [young, old]) await writeFile(path.join(root, name), 'half');
  await utimes(path.join(root, old), 0, 0);
  assert.is(await files.read('settings.json'), 'old');
  await files.write('settings.json', 'new');
  // The young file may belong to another program that is still writing it.
  assert.equal((await readdir(root)).toSorted(), ['settings.json', young]);
});

test('that are links are not read, and are replaced instead of followed', async ({
  files,
  outside,
}) => {
  await writeFile(outside, 'untouched');
  await files.write('secrets/other', 'x');
  await symlink(outside, files.pathOf(SECRET));
  assert.match(messageOf(await rejection(files.read(SECRET))), /is a link/);
  await files.write(SECRET, 'own');
  assert.is(await files.read(SECRET), 'own');
  assert.is(await readFile(outside, 'utf8'), 'untouched');
});

test('are neither read nor written behind a linked directory', async ({ root, files, outside }) => {
  await mkdir(outside);
  await mkdir(root, { recursive: true });
  await writeFile(path.join(outside, 'dms_api_token'), 'of somebody else');
  await symlink(outside, path.join(root, 'secrets'));
  assert.match(messageOf(await rejection(files.read(SECRET))), /is a link/);
  assert.match(messageOf(await rejection(files.write(SECRET, 'x'))), /is a link/);
  assert.match(messageOf(await rejection(files.create(SECRET, 'x'))), /is a link/);
  assert.match(messageOf(await rejection(files.remove(SECRET))), /is a link/);
  assert.is(await readFile(path.join(outside, 'dms_api_token'), 'utf8'), 'of somebody else');
});

test('may be in a directory that the operator linked', async ({ directory, root, outside }) => {
  await mkdir(outside);
  await mkdir(path.dirname(root), { recursive: true });
  await symlink(outside, root);
  const files = createOwnFiles(root);
  await files.write('settings.json', '{}');
  assert.is(await readFile(path.join(directory, 'outside/settings.json'), 'utf8'), '{}');
});

test('that are pipes, directories or huge are refused at once', async ({ root, files }) => {
  await files.write('profiles/a.yaml', 'x');
  await makePipe(path.join(root, 'settings.json'));
  assert.match(messageOf(await rejection(files.read('settings.json'))), /is a named pipe/);
  assert.match(messageOf(await rejection(files.read('profiles'))), /is a directory/);
  await writeFile(path.join(root, 'big.json'), 'x'.repeat(300_000));
  assert.match(messageOf(await rejection(files.read('big.json'))), /is larger than/);
});
