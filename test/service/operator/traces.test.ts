import { mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { openKnownRoots } from '../../../service/archive/known-roots.ts';
import { readEnvironment } from '../../../service/environment.ts';
import { watchCallerToken } from '../../../service/http/caller-token.ts';
import type { OperatorParts } from '../../../service/http/routes/operator.ts';
import { openOperator } from '../../../service/operator-parts.ts';
import { openOwnSettings } from '../../../service/own-settings.ts';
import { SHIPPED } from '../../../service/profiles/load-directories.ts';
import { createProfileStore } from '../../../service/profiles/store.ts';
import { capturedLog } from '../../support/captured-log.ts';
import { STORED_ID } from '../../support/stored-scan.ts';
import { assert, failure, withFixture } from '../../support/suite.ts';

/** `isUsed` is false for facts that a new appliance may have too. */
interface Case {
  readonly variables?: Readonly<Record<string, string>>;
  readonly prepare?: (given: Place) => Promise<unknown>;
  readonly isUsed?: boolean;
}

interface Place {
  readonly file: (name: string) => string;
  readonly write: (name: string, text: string) => Promise<void>;
}

const DIRECTORIES = ['scans', 'profiles', 'secrets', 'saved-profiles'] as const;

const test = withFixture('traces of use, with the real parts', async (directory) => {
  const closers: (() => void)[] = [];
  const file = (name: string): string => path.join(directory, name);
  for (const name of DIRECTORIES) await mkdir(file(name));
  return {
    file,
    write: async (name: string, text: string) => {
      await mkdir(path.dirname(file(name)), { recursive: true });
      await writeFile(file(name), text);
    },
    open: (variables: Case['variables'] = {}) =>
      openAppliance(
        {
          PROFILES_DIR: `${file('profiles')}:${SHIPPED}`,
          OUTPUT_DIR: file('scans'),
          SECRETS_DIR: file('secrets'),
          ...variables,
        },
        closers,
      ),
    close: async () => {
      for (const close of closers) close();
    },
  };
});

const unexpected = (): never => {
  throw new Error('not expected in this test');
};

async function openAppliance(
  variables: Record<string, string>,
  closers: (() => void)[],
): Promise<OperatorParts> {
  const environment = readEnvironment(variables);
  const { log } = capturedLog();
  const own = await openOwnSettings(environment, log);
  const profiles = await createProfileStore({
    directories: own.profilesDirs,
    ownFiles: own.profileFiles,
    savedDir: environment.savedProfilesDir,
    outputDir: environment.outputDir,
    dmsUrl: own.dmsUrl,
    chosen: own.chosen,
    installedLanguages: () => undefined,
    log,
  });
  const { list: roots } = await openKnownRoots(environment.outputDir, {
    current: () => profiles.list().map(({ paths }) => paths.output_dir),
    log,
  });
  const { readSecret, secretsDir: ownSecretsDir } = own;
  const { secretsDir } = environment;
  const callerToken = await watchCallerToken({ readSecret, secretsDir, ownSecretsDir, log });
  closers.push(own.settings.close, () => profiles.close(), callerToken.close);
  const parts = openOperator(environment, own, {
    callerToken,
    profiles,
    roots,
    scanner: { describeDevice: unexpected, close: unexpected } as never,
    scannerList: unexpected,
    installed: () => undefined,
    selfTest: unexpected,
    log,
  });
  if (!parts) throw new Error('the set-up in the browser is off');
  return parts;
}

const TOKEN = 'c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00';
const PROFILE = `name: mine
source: ADF
mode: Gray
resolution: 300
destinations: [{ kind: dms, base_url: 'http://10.1.1.1:8000', token_secret: mine }]
`;
const BUTTON = JSON.stringify({ label: 'Quick', based_on: 'default', settings: {} });

const removing =
  (name: string) =>
  ({ file }: Place): Promise<void> =>
    rm(file(name), { recursive: true });
const writing =
  (name: string, text: string) =>
  ({ write }: Place): Promise<void> =>
    write(name, text);
/** A link to a disk that is not mounted. */
const linking =
  (name: string) =>
  async ({ file }: Place): Promise<void> => {
    await rm(file(name), { recursive: true, force: true });
    await mkdir(path.dirname(file(name)), { recursive: true });
    await symlink('/not/mounted', file(name));
  };
const replacing =
  (name: string) =>
  async ({ file }: Place): Promise<void> => {
    await rm(file(name), { recursive: true, force: true });
    await writeFile(file(name), '');
  };

const CASES: Readonly<Record<string, Case>> = {
  'nothing of its own': { isUsed: false },
  'an empty directory of settings': {
    prepare: ({ file }) => mkdir(file('settings')),
    isUsed: false,
  },
  'what an interrupted claim left': {
    prepare: writing('settings/operator.json.0123456789ab.tmp', '{'),
    isUsed: false,
  },
  'settings on a disk of their own': {
    prepare: ({ file }) => mkdir(file('settings/lost+found'), { recursive: true }),
    isUsed: false,
  },
  'the time zone and addresses of the machine': {
    variables: { TZ: 'UTC', HOST: '0.0.0.0', PORT: '0', LOG_LEVEL: 'debug' },
    isUsed: false,
  },
  'an authority of the machine': {
    variables: { NODE_EXTRA_CA_CERTS: '/etc/ssl/ca.pem' },
    isUsed: false,
  },
  'the bundled Paperless-ngx': {
    variables: { DMS_URL_DEFAULT: 'http://paperless:8000' },
    isUsed: false,
  },
  'empty variables, as in docker-compose.yml': {
    variables: { DMS_URL: '', NOTIFY_URL: '', PUBLIC_URL: '', ALLOWED_HOSTS: '', METRICS: 'off' },
    isUsed: false,
  },
  'a blank secret, and the files of Git and Podman': {
    prepare: async ({ file, write }) => {
      await write('secrets/.gitignore', '*');
      await write('profiles/.gitignore', '*');
      await write('secrets/dms_api_token', '\n');
      await mkdir(file('secrets/rhsm'));
    },
    isUsed: false,
  },
  'files of other people beside its scans': {
    prepare: writing('scans/notes.txt', ''),
    isUsed: false,
  },
  DMS_URL: { variables: { DMS_URL: 'http://10.1.1.1:8000' } },
  DMS_API_TOKEN: { variables: { DMS_API_TOKEN: TOKEN } },
  SCAN_API_TOKEN: { variables: { SCAN_API_TOKEN: 'abcdefgh' } },
  'a token variable of a profile': { variables: { INVOICES_TOKEN: TOKEN } },
  NOTIFY_URL: { variables: { NOTIFY_URL: 'http://ntfy.lan' } },
  NOTIFY_TOPIC: { variables: { NOTIFY_TOPIC: 'scans' } },
  PUBLIC_URL: { variables: { PUBLIC_URL: 'http://scanner.lan' } },
  ALLOWED_HOSTS: { variables: { ALLOWED_HOSTS: 'scan.example.org' } },
  METRICS: { variables: { METRICS: 'on' } },
  'SHIPPED_PROFILES=off': { variables: { SHIPPED_PROFILES: 'off' } },
  'the token of Paperless-ngx': { prepare: writing('secrets/dms_api_token', TOKEN) },
  'a secret of any name': { prepare: writing('secrets/anna', TOKEN) },
  'an empty caller token': { prepare: writing('secrets/scan_api_token', '') },
  'a secret that is a broken link': { prepare: linking('secrets/anna') },
  'no directory of secrets': { prepare: removing('secrets') },
  'a file instead of the directory of secrets': { prepare: replacing('secrets') },
  'a profile': { prepare: writing('profiles/mine.yaml', PROFILE) },
  'a profile that replaces a shipped one': {
    prepare: writing('profiles/default.yaml', PROFILE.replace('mine', 'default')),
  },
  'a damaged profile': { prepare: writing('profiles/mine.yaml', '{') },
  'a profile that is switched off': { prepare: writing('profiles/mine.yaml.off', PROFILE) },
  'a hidden profile': { prepare: writing('profiles/.mine.yaml', PROFILE) },
  'a profile that is a broken link': { prepare: linking('profiles/mine.yaml') },
  'no directory of profiles': { prepare: removing('profiles') },
  'a directory of profiles that is a broken link': { prepare: linking('profiles') },
  'a file instead of the directory of profiles': { prepare: replacing('profiles') },
  'a saved profile': { prepare: writing('saved-profiles/quick.json', BUTTON) },
  'a saved profile with a Paperless-ngx': {
    variables: { DMS_URL_DEFAULT: 'http://paperless:8000' },
    prepare: writing('saved-profiles/quick.json', BUTTON),
  },
  'a damaged saved profile': { prepare: writing('saved-profiles/quick.json', '{') },
  'a file instead of the directory of saved profiles': { prepare: replacing('saved-profiles') },
  'a scan, but no settings': { prepare: ({ file }) => mkdir(file(`scans/${STORED_ID}`)) },
  'scans in another directory': {
    prepare: writing('scans/.output-directories.json', '["/not/mounted"]'),
  },
  'a damaged record of other directories': {
    prepare: writing('scans/.output-directories.json', ''),
  },
  'no output directory': { prepare: removing('scans') },
  'an output directory that is a broken link': { prepare: linking('scans') },
  'a file instead of the output directory': { prepare: replacing('scans') },
  'the mark of a used appliance': { prepare: writing('settings/used', '') },
  'empty settings': { prepare: writing('settings/settings.json', '{}') },
  'damaged settings': { prepare: writing('settings/settings.json', '{') },
  'settings that are a link': { prepare: linking('settings/settings.json') },
  'the password of the house': { prepare: writing('settings/secrets/scan_api_token', '12345678') },
  'a token in its settings': { prepare: writing('settings/secrets/dms_api_token', TOKEN) },
  'a profile in its settings': { prepare: writing('settings/profiles/mine.yaml', PROFILE) },
  'a file instead of the settings': { prepare: replacing('settings') },
  'settings that are a broken link': { prepare: linking('settings') },
  'settings on a disk that is not mounted': {
    variables: { SETTINGS_DIR: '/not/mounted/settings' },
  },
};

for (const [what, { variables, prepare, isUsed = true }] of Object.entries(CASES)) {
  const title = isUsed ? 'cannot be claimed' : 'is new and can be claimed';

  test(`an appliance with ${what} ${title}`, async (given) => {
    await prepare?.(given);
    const { operator, isNew } = await given.open(variables);
    assert.is(await isNew(), !isUsed);
    if (!isUsed) return void (await operator.claim('a house by the sea', isNew));
    await failure('set_up_closed', operator.claim('a house by the sea', isNew));
    const names = await readdir(given.file('settings')).catch((): string[] => []);
    assert.not(names.includes('operator.json'));
  });
}
