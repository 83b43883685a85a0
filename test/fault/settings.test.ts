import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { errorCode } from '../../helpers/error-code.ts';
import { createOwnFiles } from '../../service/settings/own-files.ts';
import { createSettingsStore, type SettingsStore } from '../../service/settings/settings-store.ts';
import { capturedLog } from '../support/captured-log.ts';
import { assert, EVENT_MS, rejection, withFixture, within } from '../support/suite.ts';
import { dieDuring, MOMENT_IN_WORDS } from './storage-support/dying.ts';
import { interceptFileOperations, type Around } from './storage-support/file-operations.ts';
import { mountTmpfs } from './storage-support/tmpfs.ts';

const NEVER_MS = 3_600_000;
/** In milliseconds. */
const SHORT_MS = 50;
const withFaults = await interceptFileOperations();

const test = withFixture('settings on a disk that fails', async () => {
  const disk = await mountTmpfs('2m');
  const root = path.join(disk.path, 'settings');
  const files = createOwnFiles(root);
  const { log } = capturedLog();
  const open = (): Promise<SettingsStore> =>
    createSettingsStore({ files, log, lookEveryMs: NEVER_MS });
  return { disk, root, files, open, restart: () => createOwnFiles(root), close: disk.close };
});

test('a full disk: a change is refused, and the stored settings stay intact', async (given) => {
  const { disk, root, files, open } = given;
  const store = await open();
  await store.change({ dms_url: 'http://a' });
  disk.leave(0);
  assert.is(errorCode(await rejection(store.change({ dms_url: 'http://b' }))), 'ENOSPC');
  assert.is(errorCode(await rejection(files.create('operator.json', 'x'.repeat(9000)))), 'ENOSPC');
  assert.equal(await readdir(root), ['settings.json']);
  assert.is(store.current().dms_url, 'http://a');
  disk.free();
  await store.change({ dms_url: 'http://b' });
  assert.is((await open()).current().dms_url, 'http://b');
});

test('a read-only disk: the settings can be read, and a change is refused', async (given) => {
  const { disk, open } = given;
  await (await open()).change({ dms_url: 'http://a' });
  await disk.setReadOnly(true);
  const store = await open();
  assert.is(store.state().kind, 'read_only');
  assert.is(errorCode(await rejection(store.change({ dms_url: 'http://b' }))), 'EROFS');
  assert.is(store.current().dms_url, 'http://a');
});

test('a disk that does not answer: each change is refused in time, and one that waited is never made', async ({
  disk,
  root,
  restart,
}) => {
  await restart().write('secrets/a', 'old');
  const late = new AbortController();
  const limits = [late.signal, late.signal];
  const never = new AbortController().signal;
  const files = createOwnFiles(root, undefined, () => limits.shift() ?? never);
  const [begun, answers] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const around: Around = async (_, { whole }) => {
    begun.resolve();
    await answers.promise;
    return whole();
  };
  await withFaults(disk.path, around, async () => {
    const refused = [files.write('secrets/a', 'first'), files.remove('secrets/a')].map(rejection);
    await begun.promise;
    late.abort();
    const codes = await within(EVENT_MS, Promise.all(refused), 'two refusals');
    assert.equal(codes.map(errorCode), ['ETIMEDOUT', 'ETIMEDOUT']);
    answers.resolve();
    await files.write('secrets/b', 'next');
  });
  // The first change was under way. The second one waited for it.
  assert.equal([await files.read('secrets/a'), await files.read('secrets/b')], ['first', 'next']);
});

test('the look whether a disk that does not answer can be written ends in time', async ({
  disk,
  root,
}) => {
  const files = createOwnFiles(root, SHORT_MS);
  const answers = Promise.withResolvers<void>();
  const around: Around = (_, { whole }) => answers.promise.then(whole);
  await withFaults(disk.path, around, async () => {
    const refused = await within(EVENT_MS, rejection(files.check()), 'the end of the look');
    assert.is(errorCode(refused), 'ETIMEDOUT');
    answers.resolve();
  });
});

/** Fewer operations mean that interception is broken. Few operations are writes. */
const FEWEST = { before: 9, half: 2 };

const WRITES = {
  'a first file': undefined,
  'a file that is replaced': 'old',
} as const;

for (const moment of ['before', 'half'] as const) {
  for (const [what, before] of Object.entries(WRITES)) {
    test(`killed ${MOMENT_IN_WORDS[moment]} of writing ${what}: it is old or new, and can be written again`, async (given) => {
      const { disk, root, restart } = given;
      let at = 1;
      for (let died = true; died; at += 1) {
        const killed = restart();
        if (before !== undefined) await killed.write('secrets/a', before);
        const work = (): Promise<void> => killed.write('secrets/a', 'new');
        died = await dieDuring({ withFaults, root: disk.path, at, moment, work });
        const files = restart();
        const read = await files.read('secrets/a').catch(errorCode);
        assert.ok(['new', before ?? 'ENOENT'].includes(String(read)), `${read} at ${at}`);
        await files.write('secrets/a', 'again');
        assert.is(await files.read('secrets/a'), 'again');
        await rm(root, { recursive: true });
      }
      assert.ok(at >= FEWEST[moment], `only ${at} operations`);
    });
  }

  test(`killed ${MOMENT_IN_WORDS[moment]} of a claim: the appliance is claimed, or new and can be claimed`, async (given) => {
    const { disk, root, restart } = given;
    let at = 1;
    for (let died = true; died; at += 1) {
      const work = (): Promise<void> => restart().create('operator.json', 'first');
      died = await dieDuring({ withFaults, root: disk.path, at, moment, work });
      const files = restart();
      const read = await files.read('operator.json').catch(errorCode);
      assert.ok(['first', 'ENOENT'].includes(String(read)), `${read} at ${at}`);
      const again = await files.create('operator.json', 'second').catch(errorCode);
      assert.is(again, read === 'first' ? 'EEXIST' : undefined);
      assert.is(await files.read('operator.json'), read === 'first' ? 'first' : 'second');
      await rm(root, { recursive: true });
    }
    assert.ok(at >= FEWEST[moment], `only ${at} operations`);
  });
}
