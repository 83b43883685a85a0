import { once } from 'node:events';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createProfileStore, type ProfileStore } from '../../service/profiles/store.ts';
import { capturedLog } from '../support/captured-log.ts';
import { assert, EVENT_MS, suite, temporaryDirectory, until, within } from '../support/suite.ts';
import {
  failing,
  interceptFileOperations,
  systemError,
  type SystemErrorCode,
} from './storage-support/file-operations.ts';

const withFaults = await interceptFileOperations();

const test = suite('a disk that fails briefly while profiles are read');

/** More than the operations of three checks and two loads. */
const OPERATIONS = 30;

const CODES: readonly SystemErrorCode[] = ['EIO', 'EMFILE'];

const profile = (resolution: number): string =>
  `name: own\ndestinations: []\nresolution: ${resolution}\n`;

async function untilLoaded(store: ProfileStore, isSo: () => boolean, what: string): Promise<void> {
  while (!isSo()) await within(EVENT_MS, once(store.events, 'loaded'), what);
}

function storeOf(...directories: readonly string[]): Promise<ProfileStore> {
  return createProfileStore({
    directories,
    savedDir: '/nowhere/saved',
    outputDir: '/scans',
    dmsUrl: () => undefined,
    installedLanguages: () => undefined,
    log: capturedLog().log,
    lookEveryMs: 5,
    timeoutMs: 100,
  });
}

for (const code of CODES) {
  test(`${code} at any file operation: profiles load, stay, and follow changes of their files`, async () => {
    for (let at = 1; at <= OPERATIONS; at += 1) {
      const directory = await temporaryDirectory();
      const file = path.join(directory.path, 'own.yaml');
      await writeFile(file, profile(150));
      let hits = 0;
      const around = failing(code, { at, lasting: false }, () => (hits += 1));
      const store = await withFaults(directory.path, around, () => storeOf(directory.path));
      const has = (dpi: number) => (): boolean => store.get('own')?.resolution === dpi;
      try {
        await untilLoaded(store, has(150), 'the profile');
        let isMissed = false;
        store.events.on('loaded', () => (isMissed ||= store.get('own') === undefined));
        await writeFile(`${file}.new`, profile(600));
        await rename(`${file}.new`, file);
        await untilLoaded(store, has(600), 'the changed profile');
        assert.not.ok(isMissed, `the profile was gone with ${code} at operation ${at}`);
      } finally {
        store.close();
        await directory.remove();
      }
      if (at <= 8) assert.is(hits, 1, `no operation ${at}`);
    }
  });
}

test('a permanently failing directory is reported, and no profile is lost', async () => {
  const temporary = await temporaryDirectory();
  const [own, shipped] = ['own', 'shipped'].map((name) => path.join(temporary.path, name));
  for (const directory of [own ?? '', shipped ?? '']) {
    await mkdir(directory);
    await writeFile(path.join(directory, 'a.yaml'), profile(directory === own ? 600 : 150));
  }
  await writeFile(path.join(shipped ?? '', 'b.yaml'), 'name: other\ndestinations: []\n');
  let isBroken = false;
  const seen: (number | undefined)[] = [];
  const store = await withFaults(
    own ?? '',
    async (operation, { whole }) => {
      if (!isBroken || operation.name !== 'readdir') return whole();
      seen.push(store.get('own')?.resolution);
      throw systemError('EIO', operation);
    },
    () => storeOf(own ?? '', shipped ?? ''),
  );
  try {
    isBroken = true;
    const isTold = (): boolean => store.problems().length > 0;
    await untilLoaded(store, isTold, 'the problem');
    await until(() => seen.length > 10, 'more looks');
    assert.equal([...new Set(seen)], [600], 'never the shipped one of its name');
    assert.match(store.problems()[0]?.message ?? '', /cannot be read \(EIO\)/);
    assert.ok(store.get('other'));
    isBroken = false;
    await untilLoaded(store, () => !isTold(), 'the end of the problem');
    assert.is(store.get('own')?.resolution, 600);
  } finally {
    store.close();
    await temporary.remove();
  }
});

test('a hanging file is named, and all profiles stay', async () => {
  const temporary = await temporaryDirectory();
  await writeFile(path.join(temporary.path, 'own.yaml'), profile(600));
  await writeFile(path.join(temporary.path, 'other.yaml'), 'name: other\ndestinations: []\n');
  let isHanging = false;
  let isAnswering = (): void => {};
  const answering = new Promise<void>((resolve) => (isAnswering = resolve));
  let hung = 0;
  const store = await withFaults(
    temporary.path,
    async ({ path: file }, { whole }) => {
      if (isHanging && file.endsWith('own.yaml')) {
        hung += 1;
        await answering;
      }
      return whole();
    },
    () => storeOf(temporary.path),
  );
  try {
    isHanging = true;
    await writeFile(path.join(temporary.path, 'new.yaml'), 'name: new\ndestinations: []\n');
    await untilLoaded(store, () => store.problems().length > 0, 'the problem');
    const looks = store.problems();
    await until(() => store.problems() !== looks, 'another look');
    assert.equal(
      store.problems().map(({ file, message }) => `${file}: ${message}`),
      ['own.yaml: The file did not answer within 0.1 s.'],
    );
    assert.is(store.get('own')?.resolution, 600);
    assert.ok(store.get('other'));
    assert.ok(hung <= 2, `${hung} calls hang`);
    isHanging = false;
    isAnswering();
    await untilLoaded(store, () => store.get('new') !== undefined, 'the new profile');
    assert.equal(store.problems(), []);
  } finally {
    isAnswering();
    store.close();
    await temporary.remove();
  }
});

test('a directory that hangs at the start is named, and shipped profiles do not replace its own', async () => {
  const temporary = await temporaryDirectory();
  const [own = '', shipped = ''] = ['own', 'shipped'].map((name) =>
    path.join(temporary.path, name),
  );
  for (const directory of [own, shipped]) {
    await mkdir(directory);
    await writeFile(path.join(directory, 'a.yaml'), profile(directory === own ? 600 : 150));
  }
  let isAnswering = (): void => {};
  const answering = new Promise<void>((resolve) => (isAnswering = resolve));
  const store = await withFaults(
    own,
    async (_, { whole }) => {
      await answering;
      return whole();
    },
    () => storeOf(own, shipped),
  );
  try {
    await until(() => store.problems().length > 0, 'the problem');
    assert.match(store.problems()[0]?.message ?? '', /^The file did not answer within 0\.1 s\.$/);
    assert.is(store.problems()[0]?.file, own);
    assert.equal(store.list(), []);
    isAnswering();
    await untilLoaded(store, () => store.list().length > 0, 'the profile');
    assert.is(store.get('own')?.resolution, 600);
  } finally {
    isAnswering();
    store.close();
    await temporary.remove();
  }
});
