import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createSavedProfiles } from '../../service/profiles/saved/saved-profiles.ts';
import { createButtonStore } from '../support/button-store.ts';
import { assert, failure, withFixture } from '../support/suite.ts';
import { mountTmpfs } from './storage-support/tmpfs.ts';

const BUTTON = { based_on: 'default', label: 'One' };

const test = withFixture('buttons on a disk that fails', async () => {
  const disk = await mountTmpfs('2m');
  const [own, savedDir] = [path.join(disk.path, 'own'), path.join(disk.path, 'saved')];
  await mkdir(own);
  await writeFile(path.join(own, 'default.yaml'), 'name: default\ndestinations: []\n');
  const store = await createButtonStore(own, savedDir);
  const saved = createSavedProfiles(savedDir, store);
  await saved.put('a', BUTTON, undefined);
  return {
    disk,
    store,
    saved,
    savedDir,
    close: async () => {
      store.close();
      await disk.close();
    },
  };
});

test('a full disk: nothing is saved, and saved buttons stay intact', async ({
  disk,
  store,
  saved,
  savedDir,
}) => {
  const before = await readFile(path.join(savedDir, 'a.json'), 'utf8');
  disk.leave(0);
  await failure('insufficient_storage', saved.put('b', BUTTON, undefined));
  await failure('insufficient_storage', saved.put('a', { ...BUTTON, label: 'Two' }, '*'));
  assert.equal(await readdir(savedDir), ['a.json']);
  assert.is(await readFile(path.join(savedDir, 'a.json'), 'utf8'), before);
  assert.equal(
    store.buttons().map(({ name }) => name),
    ['a'],
  );
  disk.free();
  await saved.put('b', BUTTON, undefined);
  assert.equal(store.get('b')?.label, 'One');
});

test('a read-only disk: the buttons are available, and saving is not offered', async ({
  disk,
  store,
  saved,
}) => {
  await disk.setReadOnly(true);
  await store.reload();
  assert.is(store.saving().possible, false);
  assert.match(String(store.saving().reason), /EROFS/);
  await failure('insufficient_storage', saved.put('b', BUTTON, undefined));
  await failure('insufficient_storage', saved.remove('a', undefined));
  assert.equal(store.get('a')?.label, 'One');
  await disk.setReadOnly(false);
  await store.reload();
  assert.is(store.saving().possible, true);
});
