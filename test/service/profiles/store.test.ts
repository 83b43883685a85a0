import { EventEmitter, once } from 'node:events';
import { rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createProfileStore, type ProfileStore } from '../../../service/profiles/store.ts';
import { capturedLog } from '../../support/captured-log.ts';
import { takeAllDescriptors } from '../../support/take-all-descriptors.ts';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/temporary-directory.ts';
import { within } from '../../support/within.ts';

interface Context {
  directory: TemporaryDirectory;
  store: ProfileStore;
  languages: readonly string[] | undefined;
  /** Emits `look` when a look begins; never two are under way. */
  looks: EventEmitter;
  logged: ReturnType<typeof capturedLog>;
}

const test = suite<Context>('the profile store');

/** For what a test waits for, on a machine however busy. */
const EVENT_MS = 60_000;

const profile = (name: string, extra = ''): string => `name: ${name}\ndestinations: []\n${extra}`;

/** A store of the profiles in the context's directory. */
function createStore(context: Context): Promise<ProfileStore> {
  return createProfileStore({
    directories: [context.directory.path],
    outputDir: '/scans',
    dmsUrl: undefined,
    installedLanguages: () => {
      context.looks.emit('look');
      return context.languages;
    },
    log: context.logged.log,
    lookEveryMs: 10,
  });
}

test.before.each(async (context) => {
  context.directory = await temporaryDirectory();
  context.languages = undefined;
  context.looks = new EventEmitter();
  context.logged = capturedLog();
  await writeFile(path.join(context.directory.path, 'a.yaml'), profile('first'));
  context.store = await createStore(context);
});

test.after.each(async (context) => {
  context.store.close();
  await context.directory.remove();
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

test('picks up a new, a changed and a removed file without a restart', async ({
  store,
  directory,
}) => {
  const second = path.join(directory.path, 'b.yaml');
  await changed(store, () => put(second, profile('second')));
  assert.is(store.get('second')?.resolution, 300);

  await changed(store, () => put(second, profile('second', 'resolution: 600\n')));
  assert.is(store.get('second')?.resolution, 600);

  await changed(store, () => rm(second));
  assert.is(store.get('second'), undefined);
  assert.ok(store.get('first'));
});

test('a profile in use stays what it was when its file changes', async ({ store, directory }) => {
  const inUse = store.get('first');
  await changed(store, () =>
    put(path.join(directory.path, 'a.yaml'), profile('first', 'resolution: 150\n')),
  );
  assert.is(inUse?.resolution, 300);
  assert.is(store.get('first')?.resolution, 150);
});

test('a language that the processor lacks is an error that names those installed, as soon as it is known', async (context) => {
  const { store, directory } = context;
  const file = path.join(directory.path, 'a.yaml');
  await changed(store, () => put(file, profile('first', 'processing: {languages: [eng, fra]}\n')));
  assert.ok(store.get('first'), 'not checked while the processor cannot be asked');

  await changed(store, async () => void (context.languages = ['deu', 'eng']));
  assert.is(store.get('first'), undefined);
  assert.is(store.problems()[0]?.file, 'a.yaml');
  assert.match(store.problems()[0]?.message ?? '', /names fra, but the processor has deu, eng/);

  await changed(store, async () => void (context.languages = ['deu', 'eng', 'fra']));
  assert.ok(store.get('first'));
});

test('too many open files change no profile; what changed meanwhile is seen when there are fewer', async (context) => {
  const { store, directory, looks, logged } = context;
  const giveBack = await takeAllDescriptors();
  try {
    context.languages = ['eng'];
    await rm(path.join(directory.path, 'a.yaml'));
    // The look that begins first may have begun before; when the third begins, the second has ended.
    for (let begun = 0; begun < 3; begun += 1) {
      await within(EVENT_MS, once(looks, 'look'), 'a look');
    }
    assert.ok(store.get('first'));
    assert.match(logged.text(), /"event":"profile_refused".*EMFILE/);
  } finally {
    await giveBack();
  }
  while (store.list().length > 0) await within(EVENT_MS, once(looks, 'look'), 'a look');
  assert.equal(store.problems(), []);
});

test('a start with too many open files says why there are no profiles, and loads them when there are fewer', async (context) => {
  const giveBack = await takeAllDescriptors();
  const store = await createStore(context);
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

test.run();
