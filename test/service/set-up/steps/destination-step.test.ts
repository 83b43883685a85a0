import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { Failure } from '../../../../helpers/failure.ts';
import { createAskLimit } from '../../../../service/set-up/steps/ask-limit.ts';
import { createSecretReader } from '../../../../service/paperless/secrets.ts';
import {
  createDestinationStep,
  type DestinationStep,
  type DestinationStepOptions,
} from '../../../../service/set-up/steps/destination-step.ts';
import { createOwnFiles } from '../../../../service/settings/own-files.ts';
import { createSettingsStore } from '../../../../service/settings/settings-store.ts';
import { createSampleDms } from '../../../../simulators/sample-dms/sample-dms.ts';
import { capturedLog } from '../../../support/captured-log.ts';
import { assert, failure, withFixture } from '../../../support/suite.ts';

const TOKEN = 'c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00';
const LOGIN = { kind: 'login', user: 'admin', password: 'secret word', code: undefined } as const;
const NONE = { kind: 'none' } as const;

const test = withFixture('the step of the set-up that sets the Paperless-ngx', async (root) => {
  const login = { username: 'admin', password: 'secret word' };
  const storeDir = path.join(root, 'dms');
  const dms = await createSampleDms({ tokens: [TOKEN], storeDir, login });
  const files = createOwnFiles(path.join(root, 'settings'));
  const logged = capturedLog();
  const settings = await createSettingsStore({ files, log: logged.log, lookEveryMs: 3_600_000 });
  let reloads = 0;
  let time = 0;
  const readOperatorSecret = createSecretReader({ directory: root, environment: {} });
  return {
    dms,
    files,
    settings,
    logged,
    reloads: () => reloads,
    pass: (ms: number) => void (time += ms),
    step: (more: Partial<DestinationStepOptions> = {}): DestinationStep =>
      createDestinationStep({
        files,
        settings,
        readOperatorSecret,
        fixedUrl: undefined,
        trusted: [dms.url],
        reload: async () => void (reloads += 1),
        limit: createAskLimit(() => time),
        ...more,
      }),
    close: async () => {
      settings.close();
      await dms.close();
    },
  };
});

test('stores address and token, and never the password', async (given) => {
  const { dms, files, settings, logged, reloads, step } = given;
  assert.equal(await step()(dms.url, NONE), { address: dms.url, stored: false });
  assert.equal(settings.current(), {});
  assert.equal(await step()(dms.url, LOGIN), { address: dms.url, stored: true });
  assert.is(settings.current().dms_url, dms.url);
  assert.is(await files.read('secrets/dms_api_token'), `${TOKEN}\n`);
  assert.is((await stat(files.pathOf('secrets/dms_api_token'))).mode & 0o777, 0o600);
  assert.is(reloads(), 1);
  const written = await readdir(files.root, { recursive: true, withFileTypes: true });
  for (const file of written.filter((one) => one.isFile())) {
    const text = await readFile(path.join(file.parentPath, file.name), 'utf8');
    assert.not.match(text, 'secret word');
  }
  assert.not.match(await files.read('settings.json'), TOKEN);
  assert.not.match(logged.text(), TOKEN);
});

test('reports errors in English and German, and then stores nothing', async (given) => {
  const { dms, settings, step } = given;
  const error = await failure(
    'destination_unavailable',
    step()(dms.url, { ...LOGIN, password: 'wrong' }),
  );
  assert.ok(error instanceof Failure);
  assert.equal(error.facts, {
    problem: 'paperless.wrong_login',
    text: {
      en: 'Paperless-ngx refused the user name or the password.',
      de: 'Paperless-ngx hat den Benutzernamen oder das Passwort abgelehnt.',
    },
  });
  assert.equal(settings.current(), {});
});

test('keeps settings that the operator fixed', async (given) => {
  const { dms, settings, step } = given;
  await failure('set_up_closed', step({ fixedUrl: 'http://192.168.1.10' })(dms.url, LOGIN));
  await failure('set_up_closed', step({ readOperatorSecret: async () => 'x' })(dms.url, LOGIN));
  assert.equal(settings.current(), {});
  assert.is((await step({ fixedUrl: `${dms.url}/` })(dms.url, LOGIN)).stored, true);
});

test('on a full disk, which takes empty files, keeps the earlier token', async (given) => {
  const { dms, files, settings, step } = given;
  await files.write('secrets/dms_api_token', 'the earlier token');
  await settings.change({ dms_url: dms.url });
  const full = (): Promise<never> =>
    Promise.reject(Object.assign(new Error('full'), { code: 'ENOSPC' }));
  const stopped = step({
    files: { ...files, write: (name, text) => (text === '' ? files.write(name, text) : full()) },
    settings: { change: full },
  });
  await failure('insufficient_storage', stopped(dms.url, LOGIN));
  assert.is(await files.read('secrets/dms_api_token'), 'the earlier token');
});

test("wherever it is stopped, never leaves a token next to another system's address", async (given) => {
  const { dms, files, settings, step } = given;
  await settings.change({ dms_url: 'http://old' });
  for (let last = 1; last <= 4; last += 1) {
    await files.write('secrets/dms_api_token', 'token of the old one');
    await settings.change({ dms_url: 'http://old' });
    let writes = 0;
    const stopping = async <Result>(write: () => Promise<Result>): Promise<Result> => {
      writes += 1;
      if (writes < last) return write();
      throw Object.assign(new Error('full'), { code: 'ENOSPC' });
    };
    const stopped = step({
      files: { ...files, write: (name, text) => stopping(() => files.write(name, text)) },
      settings: { change: (changed) => stopping(() => settings.change(changed)) },
    });
    await failure('insufficient_storage', stopped(dms.url, LOGIN));
    const token = await files.read('secrets/dms_api_token');
    const isOld = settings.current().dms_url === 'http://old';
    assert.ok(token === '' || (isOld && token === 'token of the old one'), `${last}: ${token}`);
  }
});

test('checks twenty addresses a minute', async (given) => {
  const { pass, step } = given;
  const ask = step();
  for (let one = 0; one < 20; one += 1) {
    await failure('destination_unavailable', ask('http://127.0.0.1:1', NONE));
  }
  await failure('too_many_requests', ask('http://127.0.0.1:1', NONE));
  pass(60_000);
  await failure('destination_unavailable', ask('http://127.0.0.1:1', NONE));
});
