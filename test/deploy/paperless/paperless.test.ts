import { readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { programEnvironment, runProgram, type Ended } from '../../../helpers/child-process.ts';
import { createSampleDms } from '../../../simulators/sample-dms/sample-dms.ts';
import { assert, suite, temporaryDirectory } from '../../support/suite.ts';

const SECRETS_SCRIPT = path.resolve(
  import.meta.dirname,
  '../../../deploy/paperless/make-secrets.ts',
);
const NAMES = ['admin_password', 'secret_key'];

async function inDirectory(use: (directory: string) => Promise<void>): Promise<void> {
  const temporary = await temporaryDirectory();
  try {
    await use(temporary.path);
  } finally {
    await temporary.remove();
  }
}

/** Runs it, and reads the secrets afterwards. None is ever printed. */
async function makeSecrets(
  directory: string,
  given: Record<string, string> = {},
): Promise<string[]> {
  const env = programEnvironment(given);
  const program = { file: process.execPath, args: [SECRETS_SCRIPT, directory], cwd: '/', env };
  const ended = await runProgram(program, { timeoutMs: 60_000 });
  assert.is(ended.exitCode, 0, ended.stderr);
  const secrets = await Promise.all(
    NAMES.map((name) => readFile(path.join(directory, name), 'utf8')),
  );
  for (const secret of secrets) assert.not.ok((ended.stdout + ended.stderr).includes(secret));
  return secrets;
}

const secrets = suite('make-secrets');

secrets('makes a password and a key that no other installation has, for root only', () =>
  inDirectory((one) =>
    inDirectory(async (other) => {
      const made = [...(await makeSecrets(one)), ...(await makeSecrets(other))];
      assert.is(new Set(made).size, 4);
      for (const secret of made) assert.match(secret, /^[\w-]{32}$/);
      for (const name of NAMES) {
        assert.is((await stat(path.join(one, name))).mode & 0o777, 0o600);
      }
    }),
  ),
);

secrets('leaves what it made alone at the next start', () =>
  inDirectory(async (directory) => {
    const made = await makeSecrets(directory);
    assert.equal(await makeSecrets(directory, { PAPERLESS_ADMIN_PASSWORD: 'later' }), made);
  }),
);

secrets('takes the password of .env at the first start', () =>
  inDirectory(async (directory) => {
    const [password] = await makeSecrets(directory, { PAPERLESS_ADMIN_PASSWORD: 'my own' });
    assert.is(password, 'my own');
  }),
);

const TOKEN_SCRIPT = path.resolve(import.meta.dirname, '../../../deploy/paperless/make-token.ts');
const TOKEN = '89abcdef0123456789abcdef0123456789abcdef';
const LOGIN = { username: 'admin', password: 'as-it-was-made' };

interface Made {
  readonly ended: Ended;
  /** The token file afterwards; undefined when there is none. */
  readonly content: string | undefined;
  readonly mode: number;
}

/** Runs it against a sample DMS, with a token file that is there already or not. */
async function makeToken(password: string, before?: string): Promise<Made> {
  const temporary = await temporaryDirectory();
  const dms = await createSampleDms({
    tokens: [TOKEN],
    login: LOGIN,
    storeDir: path.join(temporary.path, 'dms'),
  });
  const file = path.join(temporary.path, 'dms_api_token');
  const passwordFile = path.join(temporary.path, 'admin_password');
  try {
    await writeFile(passwordFile, password);
    if (before !== undefined) await writeFile(file, before);
    const env = programEnvironment({
      PAPERLESS_URL: dms.url,
      PAPERLESS_ADMIN_USER: LOGIN.username,
      PAPERLESS_ADMIN_PASSWORD_FILE: passwordFile,
      TOKEN_FILE: file,
    });
    const program = { file: process.execPath, args: [TOKEN_SCRIPT], cwd: '/', env };
    const ended = await runProgram(program, { timeoutMs: 60_000 });
    const content = await readFile(file, 'utf8').catch(() => undefined);
    const mode = await stat(file).then(
      (found) => found.mode,
      () => 0,
    );
    return { ended, content, mode };
  } finally {
    await dms.close();
    await temporary.remove();
  }
}

const tokens = suite('make-token');

tokens('writes the token of the admin into a new file, and does not print it', async () => {
  const { ended, content, mode } = await makeToken(LOGIN.password);
  assert.is(ended.exitCode, 0, ended.stderr);
  assert.is(content, `${TOKEN}\n`);
  assert.is(mode & 0o777, 0o644);
  assert.not.ok((ended.stdout + ended.stderr).includes(TOKEN));
});

tokens('fills an empty file', async () => {
  assert.is((await makeToken(LOGIN.password, '')).content, `${TOKEN}\n`);
});

tokens('leaves a token that is there alone', async () => {
  const { ended, content } = await makeToken(LOGIN.password, 'mine\n');
  assert.is(ended.exitCode, 0);
  assert.is(content, 'mine\n');
});

tokens('gives up at once when the password is wrong', async () => {
  const { ended, content } = await makeToken('wrong');
  assert.is(ended.exitCode, 1);
  assert.match(ended.stderr, /400: .*Unable to log in/);
  assert.is(content, undefined);
});
