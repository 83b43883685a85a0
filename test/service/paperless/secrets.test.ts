import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  createSecretReader,
  SecretError,
  type SecretReader,
} from '../../../service/paperless/secrets.ts';
import { assert, inDirectory } from '../../support/suite.ts';

const test = inDirectory('secrets');

async function failure(reader: SecretReader, name: string): Promise<SecretError> {
  try {
    await reader(name);
  } catch (error) {
    if (error instanceof SecretError) return error;
    throw error;
  }
  throw new Error('the secret was read');
}

test('without a file the variable of the name in capitals is used', async ({ directory }) => {
  const environment = { DMS_API_TOKEN: ' from-environment\n', dms_api_token: 'wrong' };
  const read = createSecretReader({ directory, environment });
  assert.is(await read('dms_api_token'), 'from-environment');
});

test('a blank file counts as none', async ({ directory }) => {
  await writeFile(join(directory, 'dms_api_token'), ' \n');
  const environment = { DMS_API_TOKEN: 'from-environment' };
  const read = createSecretReader({ directory, environment });
  assert.is(await read('dms_api_token'), 'from-environment');
});

test('neither a file nor a variable, nor a blank one, is no secret', async ({ directory }) => {
  const environment = { DMS_API_TOKEN: '  ' };
  assert.is(await createSecretReader({ directory, environment })('dms_api_token'), undefined);
});

for (const name of ['', '../passwd', 'A', 'a-b', 'a/b', 'a\0', 'a'.repeat(65), '__proto__!']) {
  test(`no secret is called ${JSON.stringify(name.slice(0, 12))}`, async ({ directory }) => {
    const error = await failure(createSecretReader({ directory, environment: {} }), name);
    assert.match(error.message, /the name of a secret/);
  });
}

test('a directory in place of the file is named', async ({ directory }) => {
  const path = join(directory, 'dms_api_token');
  await mkdir(path);
  const error = await failure(createSecretReader({ directory, environment: {} }), 'dms_api_token');
  assert.is(error.message, `${path} is a directory`);
});

test('a file that cannot be read is named, with the reason', async ({ directory }) => {
  const path = join(directory, 'dms_api_token');
  await symlink('dms_api_token', path);
  const environment = { DMS_API_TOKEN: 'not used: somebody meant the file' };
  const error = await failure(createSecretReader({ directory, environment }), 'dms_api_token');
  assert.is(error.message, `${path} cannot be read (ELOOP)`);
});

test('a file too large for a secret is not shown', async ({ directory }) => {
  const path = join(directory, 'dms_api_token');
  await writeFile(path, 'x'.repeat(4097));
  const error = await failure(createSecretReader({ directory, environment: {} }), 'dms_api_token');
  assert.is(error.message, `${path} is too large for a secret`);
});
