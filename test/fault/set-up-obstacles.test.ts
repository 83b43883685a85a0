import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Failure } from '../../helpers/failure.ts';
import { createWrongTokens } from '../../service/http/wrong-tokens.ts';
import { createNewness } from '../../service/operator/newness.ts';
import { createOperator } from '../../service/operator/operator.ts';
import { createOwnFiles } from '../../service/settings/own-files.ts';
import { createSettingsStore } from '../../service/settings/settings-store.ts';
import { capturedLog } from '../support/captured-log.ts';
import { makePipe } from '../support/make-pipe.ts';
import { assert, EVENT_MS, withFixture, within } from '../support/suite.ts';
import { STEPS, type Disk } from './storage-support/set-up-steps.ts';

const NEVER_MS = 3_600_000;
/** In milliseconds. A pipe must not hold up a step for longer. */
const FILE_MS = 500;

const test = withFixture('foreign things in SETTINGS_DIR', async (directory) => {
  const root = path.join(directory, 'settings');
  const outside = path.join(directory, 'outside');
  for (const one of [root, outside]) await mkdir(one);
  for (const name of Object.values(TARGETS)) await writeFile(path.join(outside, name), '{}');
  const { log } = capturedLog();
  const files = createOwnFiles(root, FILE_MS);
  return {
    root,
    outside,
    files,
    open: async (): Promise<Disk> => ({
      files,
      settings: await createSettingsStore({ files, log, lookEveryMs: NEVER_MS }),
    }),
  };
});

/** What the service keeps in SETTINGS_DIR, and the file that a link instead of it leads to. */
const TARGETS: Readonly<Record<string, string>> = {
  'operator.json': 'operator.json',
  'settings.json': 'settings.json',
  used: 'used',
  'secrets/scan_api_token': 'scan_api_token',
  'secrets/dms_api_token': 'dms_api_token',
  'profiles/default.yaml': 'default.yaml',
  'profiles/school.yaml': 'school.yaml',
};

const OBSTACLES: Readonly<
  Record<string, (file: string, target: string) => Promise<unknown> | undefined>
> = {
  'a pipe': (file) => makePipe(file),
  'a directory': (file) => mkdir(path.join(file, 'full'), { recursive: true }),
  'a link to a file outside': (file, target) => symlink(target, file),
  'a link to a pipe': async (file, target) => {
    await rm(target);
    await makePipe(target);
    await symlink(target, file);
  },
  'a link that leads nowhere': (file) => symlink('nowhere', file),
  'a link to itself': (file) => symlink(file, file),
  'an empty file': (file) => writeFile(file, ''),
  'a file of 1 MB': (file) => writeFile(file, 'x'.repeat(1_000_000)),
  'a file of zeros, as after a power cut': (file) => writeFile(file, Buffer.alloc(4096)),
};

for (const [name, target] of Object.entries(TARGETS)) {
  for (const [what, put] of Object.entries(OBSTACLES)) {
    test(`${what} instead of ${name}: nobody can claim, and each step ends and writes nothing outside`, async (given) => {
      const { root, outside, files, open } = given;
      const file = path.join(root, name);
      await mkdir(path.dirname(file), { recursive: true });
      await put(file, path.join(outside, target));
      const before = await filesIn(outside);

      const operator = createOperator({ files, brake: createWrongTokens(undefined, 'passwords') });
      const claim = operator.claim('a house by the sea', newness(given)).catch(codeOf);
      assert.match(await claim, /^(?:set_up_closed|unauthorized)$/);

      const disk = await open();
      for (const [step, { run }] of Object.entries(STEPS)) {
        const ran = run(disk).then(
          () => undefined,
          (error: unknown) => error,
        );
        const error = await within(EVENT_MS, ran, `the end of ${step}`);
        const code = error instanceof Failure ? error.code : String(error);
        assert.ok(error === undefined || code === 'insufficient_storage', `${step}: ${code}`);
      }
      assert.equal(await filesIn(outside), before);
      disk.settings.close();
    });
  }
}

function codeOf(error: unknown): string {
  return error instanceof Failure ? error.code : String(error);
}

/** An appliance that would be new without the things in its SETTINGS_DIR. */
function newness({
  files,
  outside,
}: Pick<Disk, 'files'> & { readonly outside: string }): () => Promise<boolean> {
  return createNewness({
    files,
    profiles: { list: () => [], isShipped: () => true, problems: () => [SHIPPED_PROBLEM] },
    callerToken: { required: () => ({ state: 'none' }) },
    settings: { current: () => ({}), state: () => ({ kind: 'none', why: undefined }) },
    readSecret: async () => undefined,
    secretsDir: outside,
    profilesDirs: [],
    savedProfilesDir: path.join(outside, 'saved'),
    operatorsVariables: [],
    roots: () => [],
  });
}

const SHIPPED_PROBLEM = {
  file: 'default.yaml',
  field: null,
  message: 'It has no address.',
  profile: 'default',
  isShipped: true,
};

/** Names and contents. Leaves out pipes. */
async function filesIn(directory: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const { name } = entry;
    found[name] = entry.isFile() ? await readFile(path.join(directory, name), 'utf8') : '';
  }
  return found;
}
