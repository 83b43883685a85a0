import { chmod, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { messageOf } from '../../../helpers/error-code.ts';
import { createOwnFiles, type OwnFiles } from '../../../service/settings/own-files.ts';
import {
  createSettingsStore,
  type SettingsState,
  type SettingsStore,
} from '../../../service/settings/settings-store.ts';
import { settingsCheck } from '../../../service/self-test/check-settings.ts';
import { capturedLog } from '../../support/captured-log.ts';
import { makePipe } from '../../support/make-pipe.ts';
import { assert, rejection, until, withFixture } from '../../support/suite.ts';

const DMS = 'http://192.168.1.10:8000';

const test = withFixture('the settings of the service', async (directory) => {
  const root = path.join(directory, 'settings');
  const logged = capturedLog();
  const stores: SettingsStore[] = [];
  return {
    root,
    file: path.join(root, 'settings.json'),
    logged,
    open: async (given: Partial<OwnFiles> = {}): Promise<SettingsStore> => {
      const files = { ...createOwnFiles(root), ...given };
      const store = await createSettingsStore({ files, log: logged.log, lookEveryMs: 5 });
      stores.push(store);
      return store;
    },
    close: async () => stores.forEach((store) => store.close()),
  };
});

const checked = async (state: SettingsState): Promise<string> => {
  const signal = new AbortController().signal;
  const { status, what, remedy = '' } = await settingsCheck('/s', () => state).run(signal);
  return `${status}: ${what} ${remedy}`.trimEnd();
};

test('a missing directory is no problem, and reading does not create it', async ({
  root,
  open,
  logged,
}) => {
  const store = await open();
  assert.equal(store.current(), {});
  assert.is(await checked(store.state()), 'skipped: No settings of the service are stored.');
  assert.is(await stat(root).catch(() => 'missing'), 'missing');
  assert.equal(logged.lines(), []);
});

test('a change is stored, keeps the other settings, and those of a newer version', async ({
  root,
  file,
  open,
}) => {
  await mkdir(root);
  await writeFile(file, '{"time_zone":"Europe/Berlin","of_tomorrow":[1]}');
  const store = await open();
  await Promise.all([
    store.change({ dms_url: 'http://a' }),
    store.change({ dms_url: DMS }),
    store.change({ time_zone: 'Europe/Vienna' }),
  ]);
  const stored = { time_zone: 'Europe/Vienna', of_tomorrow: [1], dms_url: DMS };
  assert.equal(JSON.parse(await readFile(file, 'utf8')), stored);
  assert.equal(store.current(), stored);
  assert.equal((await open()).current(), stored);
  assert.match(await checked(store.state()), /^(?:ok|skipped): /);
});

test('a change by another program takes effect soon', async ({ root, file, open }) => {
  const store = await open();
  await mkdir(root);
  await writeFile(file, `{"dms_url":"${DMS}"}`);
  await until(() => store.current().dms_url === DMS, 'the address');
  await until(() => store.state().kind === 'good', 'the state');
  assert.match(await checked(store.state()), /^ok: /);
});

for (const [what, spoil, expected] of [
  ['is not JSON', (file: string) => writeFile(file, '{"dms_url":'), /settings\.json is not JSON\./],
  [
    'has a wrong field',
    (file: string) => writeFile(file, '{"dms_url":5}'),
    /settings\.json has a mistake: "dms_url"/,
  ],
  ['is a pipe', (file: string) => makePipe(file), /settings\.json is a named pipe/],
  ['is a directory', (file: string) => mkdir(file), /settings\.json is a directory/],
] as const) {
  test(`a file that ${what} stops nothing, and is reported once`, async ({
    file,
    open,
    logged,
  }) => {
    const store = await open();
    await store.change({ dms_url: DMS });
    await rm(file);
    await spoil(file);
    await until(() => store.state().kind === 'broken', 'the state');
    assert.match(await checked(store.state()), expected);
    assert.match(await checked(store.state()), /^fail: .* Correct the file, or remove it\.$/);
    assert.is(store.current().dms_url, DMS);
    assert.is(logged.lines().length, 1);
    const refused = await rejection(store.change({ time_zone: 'UTC' }));
    assert.match(
      messageOf(refused),
      /^(?:.*settings\.json )?(?:is|has) .*(?:Correct the file, or remove it\.)?$/,
    );
    assert.is(store.current().dms_url, DMS);
  });
}

test('removing the file changes nothing until the service is restarted', async ({ file, open }) => {
  const store = await open();
  await store.change({ dms_url: DMS });
  await rm(file);
  await until(() => store.state().kind === 'none', 'the state');
  assert.is(store.current().dms_url, DMS);
  assert.equal((await open()).current(), {});
});

test('an unwritable directory is a warning only if there are settings', async ({ open }) => {
  const check = (): Promise<never> =>
    Promise.reject(Object.assign(new Error('read-only'), { code: 'EROFS' }));
  const empty = await open({ check });
  assert.is(
    await checked(empty.state()),
    'skipped: No settings of the service are stored, and none can be (EROFS).',
  );
  const store = await open({ check, read: async () => '{}' });
  assert.match(
    await checked(store.state()),
    /^warn: The service cannot write its settings to .* \(EROFS\)\. Run: sudo chown/,
  );
});

test('an unreadable directory is a failure with the command that fixes it', async ({
  root,
  open,
}) => {
  await mkdir(root);
  await chmod(root, 0o700);
  const denied = Object.assign(new Error('denied'), { code: 'EACCES' });
  const store = await open({ read: () => Promise.reject(denied) });
  assert.match(
    await checked(store.state()),
    /^fail: .*settings\.json cannot be read \(EACCES\)\. Run: sudo chown -R/,
  );
});

test('stores every address that a destination can have', async ({ open }) => {
  const store = await open();
  for (const path of ['', '/a|b', '/a[b]', "/a'b", '/%zz']) {
    await store.change({ dms_url: `${DMS}${path}` });
    assert.is(store.current().dms_url, `${DMS}${path}`);
  }
});
