import { EventEmitter, once } from 'node:events';
import { rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createProfileStore, type ProfileStore } from '../../../service/profiles/store.ts';
import { capturedLog } from '../../support/captured-log.ts';
import { takeAllDescriptors } from '../../support/take-all-descriptors.ts';
import { assert, withFixture, within } from '../../support/suite.ts';

/** For what a test waits for, on a machine however busy. */
const EVENT_MS = 60_000;

const profile = (name: string, extra = ''): string => `name: ${name}\ndestinations: []\n${extra}`;

const test = withFixture('the profile store', async (directory) => {
  const file = (name: string): string => path.join(directory, name);
  const { log, text } = capturedLog();
  /** Emits `look` when a look begins; never two are under way. */
  const looks = new EventEmitter();
  const installed: { languages?: readonly string[] } = {};
  const create = (): Promise<ProfileStore> =>
    createProfileStore({
      directories: [directory],
      outputDir: '/scans',
      dmsUrl: undefined,
      installedLanguages: () => {
        looks.emit('look');
        return installed.languages;
      },
      log,
      lookEveryMs: 10,
    });
  await writeFile(file('a.yaml'), profile('first'));
  const store = await create();
  const close = async (): Promise<void> => {
    store.close();
  };
  return { file, text, looks, installed, create, store, close };
});

/** Puts a file in its place at once: a look finds it whole or not at all. */
async function put(file: string, content: string): Promise<void> {
  const written = `${path.dirname(file)}.new`;
  await writeFile(written, content);
  await rename(written, file);
}

/** Makes a change that is made at once, and waits until a look has found it. */
async function changed(store: ProfileStore, change: () => Promise<unknown>): Promise<void> {
  const loaded = once(store.events, 'loaded');
  await change();
  await within(EVENT_MS, loaded, 'a load of the profiles');
}

test('picks up a new, a changed and a removed file without a restart', async ({ store, file }) => {
  const second = file('b.yaml');
  await changed(store, () => put(second, profile('second')));
  assert.is(store.get('second')?.resolution, 300);

  await changed(store, () => put(second, profile('second', 'resolution: 600\n')));
  assert.is(store.get('second')?.resolution, 600);

  await changed(store, () => rm(second));
  assert.is(store.get('second'), undefined);
  assert.ok(store.get('first'));
});

test('a profile in use stays what it was when its file changes', async ({ store, file }) => {
  const inUse = store.get('first');
  await changed(store, () => put(file('a.yaml'), profile('first', 'resolution: 150\n')));
  assert.is(inUse?.resolution, 300);
  assert.is(store.get('first')?.resolution, 150);
});

test('a language that the processor lacks is an error', async ({ store, file, installed }) => {
  const own = file('a.yaml');
  await changed(store, () => put(own, profile('first', 'processing: {languages: [eng, fra]}\n')));
  assert.ok(store.get('first'), 'not checked while the processor cannot be asked');

  await changed(store, async () => void (installed.languages = ['deu', 'eng']));
  assert.is(store.get('first'), undefined);
  assert.is(store.problems()[0]?.file, 'a.yaml');
  assert.match(store.problems()[0]?.message ?? '', /names fra, but the processor has deu, eng/);

  await changed(store, async () => void (installed.languages = ['deu', 'eng', 'fra']));
  assert.ok(store.get('first'));
});

test('too many open files change no profile; what changed meanwhile is seen when there are fewer', async (bench) => {
  const { file, text, looks, installed, store } = bench;
  const giveBack = await takeAllDescriptors();
  try {
    installed.languages = ['eng'];
    await rm(file('a.yaml'));
    // The look that begins first may have begun before; when the third begins, the second has ended.
    for (let begun = 0; begun < 3; begun += 1) {
      await within(EVENT_MS, once(looks, 'look'), 'a look');
    }
    assert.ok(store.get('first'));
    assert.match(text(), /"event":"profile_refused".*EMFILE/);
  } finally {
    await giveBack();
  }
  while (store.list().length > 0) await within(EVENT_MS, once(looks, 'look'), 'a look');
  assert.equal(store.problems(), []);
});

test('a start with too many open files loads profiles later', async ({ create }) => {
  const giveBack = await takeAllDescriptors();
  const store = await create();
  const loaded = once(store.events, 'loaded');
  try {
    assert.is(store.problems()[0]?.message, 'The file cannot be read (EMFILE).');
  } finally {
    await giveBack();
  }
  await within(EVENT_MS, loaded, 'a load of the profiles');
  store.close();
  assert.ok(store.get('first'));
  assert.equal(store.problems(), []);
});
