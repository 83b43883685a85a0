import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { programEnvironment, runProgram } from '../../../helpers/child-process.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const SCRIPT = path.resolve(import.meta.dirname, '../../../deploy/paperless/make-secrets.ts');
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
  const program = { file: process.execPath, args: [SCRIPT, directory], cwd: '/', env };
  const ended = await runProgram(program, { timeoutMs: 60_000 });
  assert.is(ended.exitCode, 0, ended.stderr);
  const secrets = await Promise.all(
    NAMES.map((name) => readFile(path.join(directory, name), 'utf8')),
  );
  for (const secret of secrets) assert.not.ok((ended.stdout + ended.stderr).includes(secret));
  return secrets;
}

const test = suite('make-secrets');

test('makes a password and a key that no other installation has, for root only', () =>
  inDirectory((one) =>
    inDirectory(async (other) => {
      const made = [...(await makeSecrets(one)), ...(await makeSecrets(other))];
      assert.is(new Set(made).size, 4);
      for (const secret of made) assert.match(secret, /^[\w-]{32}$/);
      for (const name of NAMES) {
        assert.is((await stat(path.join(one, name))).mode & 0o777, 0o600);
      }
    }),
  ));

test('leaves what it made alone at the next start', () =>
  inDirectory(async (directory) => {
    const made = await makeSecrets(directory);
    assert.equal(await makeSecrets(directory, { PAPERLESS_ADMIN_PASSWORD: 'later' }), made);
  }));

test('takes the password of .env at the first start', () =>
  inDirectory(async (directory) => {
    const [password] = await makeSecrets(directory, { PAPERLESS_ADMIN_PASSWORD: 'my own' });
    assert.is(password, 'my own');
  }));

test.run();
