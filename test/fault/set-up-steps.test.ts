import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createProfileStore, type ProfileStore } from '../../service/profiles/store.ts';
import {
  createProfileForms,
  type ProfileForms,
} from '../../service/set-up/profiles/profile-forms.ts';
import { createOwnFiles } from '../../service/settings/own-files.ts';
import { createSettingsStore } from '../../service/settings/settings-store.ts';
import { createSampleDms } from '../../simulators/sample-dms/sample-dms.ts';
import { capturedLog } from '../support/captured-log.ts';
import { assert, failure, withFixture } from '../support/suite.ts';
import { dieDuring, MOMENT_IN_WORDS } from './storage-support/dying.ts';
import { interceptFileOperations } from './storage-support/file-operations.ts';
import { NEW_TOKEN, setDestination, STEPS, type Disk } from './storage-support/set-up-steps.ts';
import { mountTmpfs } from './storage-support/tmpfs.ts';

const NEVER_MS = 3_600_000;
const withFaults = await interceptFileOperations();

const test = withFixture('steps of the set-up on a disk that fails', async (directory) => {
  const disk = await mountTmpfs('2m');
  const root = path.join(disk.path, 'settings');
  return {
    disk,
    root,
    directory,
    outside: path.join(directory, 'outside'),
    open: async (): Promise<Disk> => {
      const files = createOwnFiles(root);
      const { log } = capturedLog();
      return { files, settings: await createSettingsStore({ files, log, lookEveryMs: NEVER_MS }) };
    },
    close: disk.close,
  };
});

for (const [what, { run, fewest }] of Object.entries(STEPS)) {
  for (const moment of ['before', 'half'] as const) {
    test(`${what}, killed ${MOMENT_IN_WORDS[moment]}: stored settings stay, and the step can be repeated`, async (given) => {
      const { disk, root, open } = given;
      let at = 1;
      for (let died = true; died; at += 1) {
        const before = await open();
        await before.settings.change({ dms_url: 'http://kept' });
        await before.files.write('secrets/scan_api_token', 'a-password-old');
        died = await dieDuring({
          withFaults,
          root: disk.path,
          at,
          moment,
          work: () => run(before),
        });
        const after = await open();
        assert.is(after.settings.current().dms_url, 'http://kept', `at ${at}`);
        assert.is(after.settings.state().kind, 'good');
        const token = await after.files.read('secrets/scan_api_token').catch(() => 'none');
        assert.ok(/^(?:a-password-(?:old|new)|none)$/.test(token.trim()), `${token} at ${at}`);
        await run(after);
        for (const { settings } of [before, after]) settings.close();
        await rm(root, { recursive: true });
      }
      if (moment === 'before') assert.ok(at >= fewest, `only ${at} operations`);
    });
  }

  test(`${what}, on a full disk and a read-only one, is refused and changes nothing`, async (given) => {
    const { disk, root, open } = given;
    const stored = await open();
    await stored.settings.change({ dms_url: 'http://kept' });
    await stored.files.write('secrets/scan_api_token', 'a-password-old');
    await stored.files.write('profiles/default.yaml', 'x');
    const before = await contentsOf(root);
    disk.leave(0);
    await failure('insufficient_storage', run(stored));
    assert.equal(await contentsOf(root), before);
    disk.free();
    await disk.setReadOnly(true);
    await failure('insufficient_storage', run(stored));
    assert.equal(await contentsOf(root), before);
    await disk.setReadOnly(false);
    await run(stored);
    stored.settings.close();
  });

  test(`${what}, where links lead out of the directory, writes nothing outside`, async (given) => {
    const { root, outside, open } = given;
    await mkdir(root);
    await mkdir(outside);
    for (const name of ['settings.json', 'scan_api_token', 'default.yaml']) {
      await writeFile(path.join(outside, name), '{}');
    }
    const before = await contentsOf(outside);
    await symlink(path.join(outside, 'settings.json'), path.join(root, 'settings.json'));
    for (const name of ['secrets', 'profiles']) await symlink(outside, path.join(root, name));
    const linked = await open();
    await failure('insufficient_storage', run(linked));
    assert.equal(await contentsOf(outside), before);
    linked.settings.close();
  });
}

// A profile needs no settings.
for (const [what, { run }] of Object.entries(STEPS).filter(([name]) => name !== 'a profile')) {
  test(`${what}, with damaged settings, is refused and changes nothing`, async (given) => {
    const { root, open } = given;
    const stored = await open();
    await stored.files.write('settings.json', '{');
    await stored.files.write('secrets/scan_api_token', 'a-password-old');
    await stored.files.write('profiles/default.yaml', 'x');
    const before = await contentsOf(root);
    await failure('insufficient_storage', run(stored));
    assert.equal(await contentsOf(root), before);
    stored.settings.close();
  });
}

test('a Paperless-ngx, killed right before each operation: no token stays beside the address of another system', async (given) => {
  const { disk, root, directory, open } = given;
  const dms = await createSampleDms({ tokens: [NEW_TOKEN], storeDir: directory });
  try {
    let at = 1;
    for (let died = true; died; at += 1) {
      const before = await open();
      await before.settings.change({ dms_url: 'http://old', house: 'open' });
      await before.files.write('secrets/dms_api_token', 'old');
      const work = (): Promise<unknown> => setDestination(before, dms.url);
      died = await dieDuring({ withFaults, root: disk.path, at, moment: 'before', work });
      const after = await open();
      const { dms_url, house } = after.settings.current();
      const token = (await after.files.read('secrets/dms_api_token')).trim();
      const allowed = dms_url === 'http://old' ? ['old', ''] : [NEW_TOKEN, ''];
      assert.ok(allowed.includes(token), `${token} beside ${dms_url} at ${at}`);
      assert.is(house, 'open');
      await setDestination(after, dms.url);
      assert.is((await after.files.read('secrets/dms_api_token')).trim(), NEW_TOKEN);
      for (const { settings } of [before, after]) settings.close();
      await rm(root, { recursive: true });
    }
    assert.ok(at >= 24, `only ${at} operations`);
  } finally {
    await dms.close();
  }
});

for (const moment of ['before', 'half'] as const) {
  test(`a profile that is replaced, killed ${MOMENT_IN_WORDS[moment]}, is the old or the new one`, async ({
    disk,
    root,
    open,
  }) => {
    let at = 1;
    for (let died = true; died; at += 1) {
      const opened = await open();
      const { forms, store } = await openForms(opened, disk.path);
      await forms.put('school', { label: 'Old', destinations: [] }, undefined);
      died = await dieDuring({
        withFaults,
        root: disk.path,
        at,
        moment,
        work: () => forms.put('school', { label: 'New', destinations: [] }, '*'),
      });
      const after = await open();
      const restarted = await openForms(after, disk.path);
      const { label, problems } = await restarted.forms.get('school');
      assert.ok(label === 'New' || (died && label === 'Old'), `${JSON.stringify(label)} at ${at}`);
      assert.equal(problems, []);
      await restarted.forms.put('school', { label: 'Again', destinations: [] }, '*');
      for (const one of [opened.settings, after.settings, store, restarted.store]) one.close();
      await rm(root, { recursive: true });
    }
    assert.ok(moment === 'half' || at >= 9, `only ${at} operations`);
  });
}

async function openForms(
  { files, settings }: Disk,
  directory: string,
): Promise<{ readonly forms: ProfileForms; readonly store: ProfileStore }> {
  const own = files.pathOf('profiles');
  const store = await createProfileStore({
    directories: [own],
    ownFiles: { directory: own, read: files.readFile },
    savedDir: path.join(directory, 'saved'),
    outputDir: directory,
    dmsUrl: () => undefined,
    installedLanguages: () => undefined,
    log: capturedLog().log,
    lookEveryMs: NEVER_MS,
  });
  return { forms: createProfileForms({ files, settings, profiles: store }), store };
}

async function contentsOf(directory: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  for (const entry of entries.filter((one) => one.isFile())) {
    const file = path.join(entry.parentPath, entry.name);
    found[file] = await readFile(file, 'utf8');
  }
  return found;
}
