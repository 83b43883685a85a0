import { readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { programEnvironment, runProgram, type Ended } from '../../../helpers/child-process.ts';
import { createSampleDms } from '../../../simulators/sample-dms/sample-dms.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const SCRIPT = path.resolve(import.meta.dirname, '../../../deploy/paperless/make-token.ts');
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
    const program = { file: process.execPath, args: [SCRIPT], cwd: '/', env };
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

const test = suite('make-token');

test('writes the token of the admin into a new file, and does not print it', async () => {
  const { ended, content, mode } = await makeToken(LOGIN.password);
  assert.is(ended.exitCode, 0, ended.stderr);
  assert.is(content, `${TOKEN}\n`);
  assert.is(mode & 0o777, 0o644);
  assert.not.ok((ended.stdout + ended.stderr).includes(TOKEN));
});

test('fills an empty file', async () => {
  assert.is((await makeToken(LOGIN.password, '')).content, `${TOKEN}\n`);
});

test('leaves a token that is there alone', async () => {
  const { ended, content } = await makeToken(LOGIN.password, 'mine\n');
  assert.is(ended.exitCode, 0);
  assert.is(content, 'mine\n');
});

test('gives up at once when the password is wrong', async () => {
  const { ended, content } = await makeToken('wrong');
  assert.is(ended.exitCode, 1);
  assert.match(ended.stderr, /400: .*Unable to log in/);
  assert.is(content, undefined);
});

test.run();
