import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { errorCode } from '../../../../helpers/error-code.ts';
import { Failure } from '../../../../helpers/failure.ts';
import { watchCallerToken } from '../../../../service/http/caller-token.ts';
import { createSecretReader } from '../../../../service/paperless/secrets.ts';
import { createHouseStep } from '../../../../service/set-up/steps/house-step.ts';
import { capturedLog } from '../../../support/captured-log.ts';
import { assert, failure, withFixture } from '../../../support/suite.ts';
import { stepBench } from './step-bench.ts';

const PASSWORD = 'a-house-by-the-sea';
const NEVER_MS = 3_600_000;

const test = withFixture('the step that sets the password of the house', async (directory) => {
  const bench = await stepBench(directory);
  const { files, settings } = bench;
  const secretsDir = path.join(directory, 'secrets');
  await mkdir(secretsDir);
  const operators = { directory: secretsDir, environment: {} };
  const ownSecretsDir = files.pathOf('secrets');
  const logged = capturedLog();
  const callerToken = await watchCallerToken({
    readSecret: createSecretReader({
      ...operators,
      own: { directory: ownSecretsDir, read: files.readFile },
    }),
    secretsDir,
    ownSecretsDir,
    log: logged.log,
    lookEveryMs: NEVER_MS,
  });
  const readOperatorSecret = createSecretReader(operators);
  return {
    ...bench,
    callerToken,
    logged,
    operatorsFile: path.join(secretsDir, 'scan_api_token'),
    step: createHouseStep({ files, settings, callerToken, readOperatorSecret }),
    close: async () => {
      callerToken.close();
      await bench.close();
    },
  };
});

test('setting, changing or removing the password takes effect at once', async (given) => {
  const { step, callerToken, settings, files, logged } = given;
  await step(PASSWORD);
  assert.equal(callerToken.required(), { state: 'readable', token: PASSWORD });
  assert.is(settings.current().house, 'password');
  await step('another-password');
  assert.equal(callerToken.required(), { state: 'readable', token: 'another-password' });
  await step(null);
  assert.equal(callerToken.required(), { state: 'none' });
  assert.is(settings.current().house, 'open');
  assert.is(await files.read('secrets/scan_api_token').catch(errorCode), 'ENOENT');
  await step(null);
  assert.equal(callerToken.required(), { state: 'none' });
  assert.not.match(logged.text() + (await files.read('settings.json')), PASSWORD);
});

test('of several simultaneous calls, the last one counts', async ({
  step,
  callerToken,
  settings,
}) => {
  await Promise.all([step(PASSWORD), step(null), step('password-two'), step(null)]);
  assert.equal([callerToken.required().state, settings.current().house], ['none', 'open']);
  await Promise.all([step(null), step(PASSWORD)]);
  assert.equal([callerToken.required().state, settings.current().house], ['readable', 'password']);
});

test('the step refuses to change a caller token of the operator', async (given) => {
  const { step, operatorsFile, callerToken } = given;
  await writeFile(operatorsFile, 'of the operator');
  await callerToken.look();
  for (const password of [PASSWORD, null]) {
    const error = await failure('set_up_closed', step(password));
    assert.ok(error instanceof Failure);
    assert.is(error.facts['fixed_by'], 'scan_api_token');
  }
  assert.equal(callerToken.required(), { state: 'readable', token: 'of the operator' });
});

test('an empty caller token of the operator keeps the appliance closed', async (given) => {
  const { step, operatorsFile, callerToken } = given;
  await writeFile(operatorsFile, '');
  await callerToken.look();
  await failure('set_up_closed', step(null));
  assert.is(callerToken.required().state, 'unreadable');
});

test('a password whose file is gone keeps the appliance closed', async ({
  step,
  files,
  callerToken,
}) => {
  await step(PASSWORD);
  await files.remove('secrets/scan_api_token');
  await callerToken.look();
  await callerToken.look();
  assert.is(callerToken.required().state, 'unreadable');
});

test('a password that cannot be removed keeps the appliance closed', async ({
  step,
  files,
  callerToken,
}) => {
  await step(PASSWORD);
  await files.remove('secrets/scan_api_token');
  await mkdir(files.pathOf('secrets/scan_api_token'));
  await failure('insufficient_storage', step(null));
  assert.is.not(callerToken.required().state, 'none');
});
