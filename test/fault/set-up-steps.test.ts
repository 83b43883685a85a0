import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Failure } from '../../helpers/failure.ts';
import { createSecretReader } from '../../service/paperless/secrets.ts';
import type { ListedScanner } from '../../service/scanner/scanner-list.ts';
import { createOwnFiles, type OwnFiles } from '../../service/settings/own-files.ts';
import { createSettingsStore, type SettingsStore } from '../../service/settings/settings-store.ts';
import { createProfileForms } from '../../service/set-up/profiles/profile-forms.ts';
import { createAskLimit } from '../../service/set-up/steps/ask-limit.ts';
import { createButtonsStep } from '../../service/set-up/steps/buttons-step.ts';
import { createFinishStep } from '../../service/set-up/steps/finish-step.ts';
import { createHouseStep } from '../../service/set-up/steps/house-step.ts';
import { createLanguagesStep } from '../../service/set-up/steps/languages-step.ts';
import { createScannerStep } from '../../service/set-up/steps/scanner-step.ts';
import { capturedLog } from '../support/captured-log.ts';
import { assert, failure, withFixture } from '../support/suite.ts';
import { testProfile } from '../support/test-profile.ts';
import { dieDuring, MOMENT_IN_WORDS } from './storage-support/dying.ts';
import { interceptFileOperations } from './storage-support/file-operations.ts';
import { mountTmpfs } from './storage-support/tmpfs.ts';

const NEVER_MS = 3_600_000;
const withFaults = await interceptFileOperations();

interface Disk {
  readonly files: OwnFiles;
  readonly settings: SettingsStore;
}

const test = withFixture('steps of the set-up on a disk that fails', async (directory) => {
  const disk = await mountTmpfs('2m');
  const root = path.join(disk.path, 'settings');
  return {
    disk,
    root,
    outside: path.join(directory, 'outside'),
    open: async (): Promise<Disk> => {
      const files = createOwnFiles(root);
      const { log } = capturedLog();
      return { files, settings: await createSettingsStore({ files, log, lookEveryMs: NEVER_MS }) };
    },
    close: disk.close,
  };
});

const GLASS: ListedScanner = {
  name: 'fake:0',
  vendor: 'ACME',
  model: 'Glass',
  type: 'scanner',
  problem: null,
  sources: [
    {
      source: 'Flatbed',
      feeder: false,
      sides: ['one'],
      modes: ['Gray'],
      resolutions: [300],
      max_page: null,
      options: [],
    },
  ],
};

const FEEDER: ListedScanner = {
  ...GLASS,
  sources: GLASS.sources.map((source) => ({ ...source, source: 'ADF', feeder: true })),
};

const reload = (): Promise<void> => Promise.resolve();
const setScanner =
  (scanner: ListedScanner) =>
  ({ files, settings }: Disk): Promise<unknown> =>
    createScannerStep({
      scanner: { describeDevice: () => Promise.reject(new Error('not expected')) },
      list: async () => ({ looked_at: '', scanners: [scanner] }),
      files,
      settings,
      reload,
      limit: createAskLimit(),
    })('fake:0');
const profiles = { list: () => [], isShipped: () => true };
const callerToken = { required: () => ({ state: 'none' }) as const, look: reload, forget: reload };
const readOperatorSecret = createSecretReader({ directory: '/missing', environment: {} });
const houseOf = (disk: Disk): ReturnType<typeof createHouseStep> =>
  createHouseStep({ ...disk, callerToken, readOperatorSecret });

/** Stores a profile whose name is new. */
const storeProfile = ({ files, settings }: Disk): Promise<unknown> => {
  const none = { origins: () => new Map(), get: () => undefined };
  const lists = { list: () => [], buttons: () => [], problems: () => [] };
  const store = { ...none, ...lists, check: () => testProfile({ name: 'school' }), reload };
  const forms = createProfileForms({ files, settings, profiles: store });
  const given = { label: 'School', destinations: [] };
  // The store knows no profile, so only the file shows what was stored.
  return forms.put('school', given, undefined).catch((error: Failure) => {
    if (error.code !== 'profile_not_found') throw error;
  });
};

/** By step: the call that stores its answer, and the minimum number of file operations. */
const STEPS: Readonly<
  Record<string, { readonly run: (disk: Disk) => Promise<unknown>; readonly fewest: number }>
> = {
  'a scanner with only a glass': { run: setScanner(GLASS), fewest: 15 },
  'a scanner with a feeder': { run: setScanner(FEEDER), fewest: 9 },
  languages: {
    run: ({ files, settings }) =>
      createLanguagesStep({
        files,
        settings,
        installed: () => undefined,
        fixedZone: undefined,
        reload,
      })({ languages: ['deu'], time_zone: 'UTC' }),
    fewest: 9,
  },
  buttons: {
    run: ({ files, settings }) => createButtonsStep({ files, settings, profiles })(['receipts']),
    fewest: 9,
  },
  'a profile': { run: storeProfile, fewest: 9 },
  'a password of the house': { run: (disk) => houseOf(disk)('a-password-new'), fewest: 15 },
  'no password of the house': { run: (disk) => houseOf(disk)(null), fewest: 9 },
  finish: { run: (disk) => createFinishStep(disk)(), fewest: 9 },
};

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

async function contentsOf(directory: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  for (const entry of entries.filter((one) => one.isFile())) {
    const file = path.join(entry.parentPath, entry.name);
    found[file] = await readFile(file, 'utf8');
  }
  return found;
}
