import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Ended } from '../../../helpers/child-process.ts';
import { createSampleDms } from '../../../simulators/sample-dms/sample-dms.ts';
import { runScript } from '../../support/programs.ts';
import { assert, inDirectory, withFixture } from '../../support/suite.ts';

const NAMES = ['admin_password', 'secret_key'];

/** Runs the script and returns the secrets it wrote. It may print none. */
async function makeSecrets(directory: string, given = {}): Promise<string[]> {
  const ended = await runScript('deploy/paperless/make-secrets.ts', [directory], given);
  assert.is(ended.exitCode, 0, ended.stderr);
  const read = (name: string): Promise<string> => readFile(path.join(directory, name), 'utf8');
  const secrets = await Promise.all(NAMES.map(read));
  for (const secret of secrets) assert.not.ok((ended.stdout + ended.stderr).includes(secret));
  return secrets;
}

const secrets = inDirectory('make-secrets', async ({ file }) => {
  for (const name of ['one', 'other']) await mkdir(file(name));
});

secrets('creates unique secrets that only root can read', async ({ file }) => {
  const made = [...(await makeSecrets(file('one'))), ...(await makeSecrets(file('other')))];
  assert.is(new Set(made).size, 4);
  for (const secret of made) assert.match(secret, /^[\w-]{32}$/);
  for (const name of NAMES) assert.is((await stat(file(`one/${name}`))).mode & 0o777, 0o600);
});

secrets('keeps existing secrets at the next start', async ({ directory }) => {
  const made = await makeSecrets(directory);
  assert.equal(await makeSecrets(directory, { PAPERLESS_ADMIN_PASSWORD: 'later' }), made);
});

secrets('uses the password of .env at the first start', async ({ directory }) => {
  const [password] = await makeSecrets(directory, { PAPERLESS_ADMIN_PASSWORD: 'my own' });
  assert.is(password, 'my own');
});

const TOKEN = '89abcdef0123456789abcdef0123456789abcdef';
const LOGIN = { username: 'admin', password: 'as-it-was-made' };

const tokens = withFixture('make-token', async (directory) => {
  const inside = (name: string): string => path.join(directory, name);
  const file = inside('dms_api_token');
  const dms = await createSampleDms({ tokens: [TOKEN], login: LOGIN, storeDir: inside('dms') });
  return {
    file,
    /** `content` is the token file afterwards; undefined if it does not exist. */
    make: async (password = LOGIN.password): Promise<Ended & { content: string | undefined }> => {
      await writeFile(inside('admin_password'), password);
      const ended = await runScript('deploy/paperless/make-token.ts', [], {
        PAPERLESS_URL: dms.url,
        PAPERLESS_ADMIN_USER: LOGIN.username,
        PAPERLESS_ADMIN_PASSWORD_FILE: inside('admin_password'),
        TOKEN_FILE: file,
      });
      return { ...ended, content: await readFile(file, 'utf8').catch(() => undefined) };
    },
    close: () => dms.close(),
  };
});

tokens("writes the admin's token into a new file, unprinted", async ({ make, file }) => {
  const { exitCode, stdout, stderr, content } = await make();
  assert.is(exitCode, 0, stderr);
  assert.is(content, `${TOKEN}\n`);
  assert.is((await stat(file)).mode & 0o777, 0o644);
  assert.not.ok((stdout + stderr).includes(TOKEN));
});

tokens('fills an empty file', async ({ make, file }) => {
  await writeFile(file, '');
  assert.is((await make()).content, `${TOKEN}\n`);
});

tokens('keeps an existing token', async ({ make, file }) => {
  await writeFile(file, 'mine\n');
  const { exitCode, content } = await make();
  assert.equal([exitCode, content], [0, 'mine\n']);
});

tokens('gives up immediately if the password is wrong', async ({ make }) => {
  const { exitCode, stderr, content } = await make('wrong');
  assert.equal([exitCode, content], [1, undefined]);
  assert.match(stderr, /400: .*Unable to log in/);
});
