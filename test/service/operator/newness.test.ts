import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createNewness, type NewnessParts } from '../../../service/operator/newness.ts';
import { createOwnFiles, type OwnFiles } from '../../../service/settings/own-files.ts';
import { createSecretReader, type SecretReader } from '../../../service/paperless/secrets.ts';
import type { ProfileProblem } from '../../../service/profiles/problems.ts';
import { STORED_ID } from '../../support/stored-scan.ts';
import { testProfile } from '../../support/test-profile.ts';
import { assert, inDirectory } from '../../support/suite.ts';

const test = inDirectory('a new appliance', async ({ file }) => {
  for (const name of ['secrets', 'profiles']) await mkdir(file(name));
});

const SHIPPED = ['default', 'receipts'];

const problem = (more: Partial<ProfileProblem>): ProfileProblem => ({
  file: 'a.yaml',
  field: null,
  message: 'It is wrong.',
  profile: 'a',
  ...more,
});

interface Given {
  readonly names?: readonly string[];
  readonly problems?: readonly ProfileProblem[];
  readonly token?: string;
  readonly settings?: object;
  readonly settingsState?: 'none' | 'good' | 'broken';
  readonly readSecret?: SecretReader;
  readonly variables?: readonly string[];
  readonly roots?: readonly string[];
}

const partsOf = (root: string, given: Given = {}): NewnessParts & { readonly files: OwnFiles } => ({
  files: createOwnFiles(path.join(root, 'settings')),
  profiles: {
    list: () => (given.names ?? SHIPPED).map((name) => testProfile({ name })),
    isShipped: (name) => SHIPPED.includes(name),
    problems: () => given.problems ?? [],
  },
  callerToken: { required: () => ({ state: given.token ?? 'none' }) },
  settings: {
    current: () => given.settings ?? {},
    state: () =>
      given.settingsState === 'broken'
        ? { kind: 'broken', what: 'It is broken.', remedy: 'Mend it.' }
        : { kind: 'none', why: undefined },
  },
  readSecret: given.readSecret ?? (async () => undefined),
  secretsDir: path.join(root, 'secrets'),
  profilesDirs: [path.join(root, 'profiles')],
  savedProfilesDir: path.join(root, 'saved-profiles'),
  operatorsVariables: given.variables ?? [],
  roots: () => given.roots ?? [root],
});

test('an appliance with only its shipped files is new', async ({ directory }) => {
  assert.is(await createNewness(partsOf(directory))(), true);
  const shipped = [problem({ isShipped: true })];
  assert.is(await createNewness(partsOf(directory, { problems: shipped }))(), true);
  // Without an address of Paperless-ngx, no shipped profile is loaded.
  const none = partsOf(directory, { names: [], problems: shipped });
  assert.is(await createNewness(none)(), true);
});

/** Facts that show an appliance to be in use, or hide whether it is. */
const USED: Readonly<Record<string, Given>> = {
  'a profile of the operator': { names: [...SHIPPED, 'own'] },
  'a profile of the operator with a mistake': { problems: [problem({})] },
  'a directory of profiles that hangs': { problems: [problem({ isTransient: true })] },
  'no profile that was read yet': { names: [] },
  'a caller token': { token: 'readable' },
  'a caller token that cannot be read': { token: 'unreadable' },
  'a token for Paperless-ngx': { readSecret: async () => 'token' },
  'secrets that cannot be read': { readSecret: () => Promise.reject(new Error('EACCES')) },
  'a variable of the operator': { variables: ['DMS_URL'] },
  'another directory of scans, even one that is not mounted': { roots: ['/missing', '/gone'] },
  settings: { settings: { dms_url: 'http://a' } },
  'settings that cannot be read': { settingsState: 'broken' },
};

for (const [what, given] of Object.entries(USED)) {
  test(`an appliance with ${what} is not new`, async ({ directory }) => {
    assert.is(await createNewness(partsOf(directory, given))(), false);
  });
}

test('an appliance with a scan is not new', async ({ directory }) => {
  await writeFile(path.join(directory, 'file'), '');
  const parts = partsOf(directory);
  assert.is(await createNewness(parts)(), true);
  await mkdir(path.join(directory, STORED_ID));
  assert.is(await createNewness(parts)(), false);
});

test('an appliance with a secret is not new; directories and blank files do not count', async ({
  directory,
}) => {
  const secrets = path.join(directory, 'secrets');
  await mkdir(path.join(secrets, 'rhsm'), { recursive: true });
  for (const name of ['.gitignore', 'Old_token']) await writeFile(path.join(secrets, name), 'x');
  const readSecret = createSecretReader({ directory: secrets, environment: {} });
  const parts = partsOf(directory, { readSecret });
  assert.is(await createNewness(parts)(), true);
  await writeFile(path.join(secrets, 'anna'), ' ');
  assert.is(await createNewness(parts)(), true);
  await writeFile(path.join(secrets, 'anna'), 'x');
  assert.is(await createNewness(parts)(), false);
});

test('an appliance stays in use once it had a secret, but not after an unreadable profile directory', async ({
  directory,
}) => {
  let secret: () => Promise<string | undefined> = async () => 'token';
  let problems = [problem({ isTransient: true })];
  const parts = partsOf(directory, { readSecret: () => secret() });
  const shares = createNewness(parts);
  assert.is(await shares(), false);
  secret = async () => undefined;
  assert.is(await shares(), false);

  const waits = createNewness({
    ...partsOf(directory),
    files: createOwnFiles(path.join(directory, 'other')),
    profiles: { ...parts.profiles, problems: () => problems },
  });
  assert.is(await waits(), false);
  problems = [];
  assert.is(await waits(), true);
});

test('a used appliance is not new after a restart without its secrets, profiles and scans', async ({
  directory,
}) => {
  const used = partsOf(directory, { token: 'readable' });
  assert.is(await createNewness(used)(), false);
  assert.is(await createNewness(partsOf(directory))(), false);
  await rm(used.files.pathOf('used'));
  assert.is(await createNewness(partsOf(directory))(), true);
});

test('an appliance whose mark is unreadable or a link is not new', async ({ directory }) => {
  const parts = partsOf(directory);
  await mkdir(parts.files.pathOf('used'), { recursive: true });
  assert.is(await createNewness(parts)(), false);
  await rm(parts.files.pathOf('used'), { recursive: true });
  await symlink('nowhere', parts.files.pathOf('used'));
  assert.is(await createNewness(parts)(), false);
});

test('an appliance is not marked as used because something could not be read', async ({
  directory,
}) => {
  const failing = (): Promise<undefined> => Promise.reject(new Error('EIO'));
  assert.is(await createNewness(partsOf(directory, { problems: [problem({})] }))(), false);
  assert.is(await createNewness(partsOf(directory))(), true);
  assert.is(await createNewness(partsOf(directory, { readSecret: failing }))(), false);
});

test('an appliance with a secret is not new even if its mark cannot be written', async ({
  directory,
}) => {
  await writeFile(path.join(directory, 'settings'), 'a file, not a directory');
  const shares = createNewness(partsOf(directory, { token: 'readable' }));
  assert.is(await shares(), false);
  assert.is(await shares(), false);
});
