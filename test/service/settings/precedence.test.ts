import { mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { messageOf } from '../../../helpers/error-code.ts';
import { watchCallerToken } from '../../../service/http/caller-token.ts';
import { createSecretReader } from '../../../service/paperless/secrets.ts';
import { createProfileStore } from '../../../service/profiles/store.ts';
import { createOwnFiles } from '../../../service/settings/own-files.ts';
import { capturedLog } from '../../support/captured-log.ts';
import { makePipe } from '../../support/make-pipe.ts';
import { assert, rejection, until, withFixture } from '../../support/suite.ts';

const NEVER_MS = 3_600_000;

const test = withFixture("the operator's files and the service's own", async (root) => {
  const [secrets, profiles] = [path.join(root, 'secrets'), path.join(root, 'profiles')];
  await Promise.all([mkdir(secrets), mkdir(profiles)]);
  const files = createOwnFiles(path.join(root, 'settings'));
  const own = { directory: files.pathOf('secrets'), read: files.readFile };
  return {
    secrets,
    profiles,
    files,
    own,
    reader: (environment = {}) => createSecretReader({ directory: secrets, environment, own }),
  };
});

test("a secret is the operator's file, else the variable, else the service's own file", async (given) => {
  const { secrets, files, reader } = given;
  assert.is(await reader()('dms_api_token'), undefined);
  await files.write('secrets/dms_api_token', ' own \n');
  assert.is(await reader()('dms_api_token'), 'own');
  assert.is(await reader({ DMS_API_TOKEN: 'variable' })('dms_api_token'), 'variable');
  await writeFile(path.join(secrets, 'dms_api_token'), 'operator');
  assert.is(await reader({ DMS_API_TOKEN: 'variable' })('dms_api_token'), 'operator');
});

test("a secret of the service's own that is a link or a pipe is an error", async (given) => {
  const { secrets, files, reader } = given;
  await writeFile(path.join(secrets, 'other'), 'of another file');
  await files.write('secrets/x', 'x');
  await symlink(path.join(secrets, 'other'), files.pathOf('secrets/dms_api_token'));
  assert.match(messageOf(await rejection(reader()('dms_api_token'))), /is a link/);
  await makePipe(files.pathOf('secrets/scan_api_token'));
  assert.match(messageOf(await rejection(reader()('scan_api_token'))), /is a named pipe/);
});

test("the service's own caller token is required for as long as the service runs", async (given) => {
  const { secrets: secretsDir, files, own, reader } = given;
  const watching = { readSecret: reader(), secretsDir, ownSecretsDir: own.directory };
  const token = await watchCallerToken({ ...watching, log: capturedLog().log, lookEveryMs: 5 });
  try {
    assert.is(token.required().state, 'none');
    await files.write('secrets/scan_api_token', 'house');
    await until(() => token.required().state === 'readable', 'the token');
    await files.write('secrets/scan_api_token', '');
    await until(() => token.required().state === 'unreadable', 'its absence');
  } finally {
    token.close();
  }
});

test("an operator's profile hides the service's own, which is used otherwise", async (given) => {
  const { profiles, files } = given;
  const text = (name: string, label: string): string =>
    `{name: ${name}, label: ${label}, destinations: [{kind: dms}]}`;
  await files.write('profiles/a.yaml', text('a', 'own'));
  await files.write('profiles/b.yaml', text('b', 'own'));
  await symlink(files.pathOf('profiles/b.yaml'), files.pathOf('profiles/c.yaml'));
  await writeFile(path.join(profiles, 'a.yaml'), text('a', 'operator'));
  let dmsUrl = 'http://first';
  const ownDirectory = files.pathOf('profiles');
  const store = await createProfileStore({
    directories: [profiles, ownDirectory],
    ownFiles: { directory: ownDirectory, read: files.readFile },
    savedDir: path.join(ownDirectory, 'none'),
    outputDir: '/scans',
    dmsUrl: () => dmsUrl,
    installedLanguages: () => undefined,
    log: capturedLog().log,
    lookEveryMs: NEVER_MS,
  });
  try {
    assert.is(store.get('a')?.label, 'operator');
    assert.is(store.get('b')?.label, 'own');
    assert.match(store.problems()[0]?.message ?? '', /is a link/);
    assert.is(store.get('b')?.destinations[0]?.base_url, 'http://first');
    dmsUrl = 'http://second';
    await store.reload();
    assert.is(store.get('b')?.destinations[0]?.base_url, 'http://second');
  } finally {
    store.close();
  }
});
