import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createFileReader } from '../../../helpers/outside-files.ts';
import { createSecretReader, SecretError } from '../../../service/paperless/secrets.ts';
import { makePipe } from '../../support/make-pipe.ts';
import { assert, inDirectory, rejection } from '../../support/suite.ts';

const test = inDirectory('secrets');

test('without a file, the variable with the name in capitals is used', async ({ directory }) => {
  const environment = { DMS_API_TOKEN: ' from-environment\n', dms_api_token: 'wrong' };
  const read = createSecretReader({ directory, environment });
  assert.is(await read('dms_api_token'), 'from-environment');
});

test('a blank file counts as missing', async ({ directory }) => {
  await writeFile(join(directory, 'dms_api_token'), ' \n');
  const environment = { DMS_API_TOKEN: 'from-environment' };
  const read = createSecretReader({ directory, environment });
  assert.is(await read('dms_api_token'), 'from-environment');
});

test('without a file or variable, or with a blank one, there is no secret', async ({
  directory,
}) => {
  const environment = { DMS_API_TOKEN: '  ' };
  assert.is(await createSecretReader({ directory, environment })('dms_api_token'), undefined);
});

async function assertFails(directory: string, name: string, said: string): Promise<void> {
  const environment = { DMS_API_TOKEN: 'not used: somebody meant the file' };
  const error = await rejection(createSecretReader({ directory, environment })(name));
  assert.instance(error, SecretError);
  assert.match(String(error), said);
}

for (const name of ['', '../passwd', 'A', 'a-b', 'a/b', 'a\0', 'a'.repeat(65), '__proto__!']) {
  test(`${JSON.stringify(name.slice(0, 12))} is not a valid secret name`, ({ directory }) =>
    assertFails(directory, name, 'the name of a secret'));
}

const NO_SECRETS: Readonly<Record<string, (file: string) => Promise<unknown>>> = {
  'is a directory': (file) => mkdir(file),
  'is a named pipe, not a plain file': (file) => makePipe(file),
  'cannot be read (ELOOP)': (file) => symlink('dms_api_token', file),
  'is too large for a secret': (file) => writeFile(file, 'x'.repeat(4097)),
};

for (const [said, make] of Object.entries(NO_SECRETS)) {
  test(`a file that ${said} is named`, async ({ directory, file }) => {
    await make(file('dms_api_token'));
    await assertFails(directory, 'dms_api_token', `${file('dms_api_token')} ${said}`);
  });
}

test('a hanging file is named, and the variable is not used', async ({ directory }) => {
  const readFile = createFileReader({ maxBytes: 1, timeoutMs: 20, read: () => never });
  const environment = { DMS_API_TOKEN: 'somebody meant the file' };
  const error = await rejection(
    createSecretReader({ directory, environment, readFile })('dms_api_token'),
  );
  assert.instance(error, SecretError);
  assert.match(String(error), /dms_api_token did not answer in time: check the disk/);
});

const never = new Promise<string>(() => {});
