import { readEnvironment } from '../../service/environment.ts';
import { assert, suite } from '../support/suite.ts';

const test = suite('the environment of the service');

test('an empty variable counts as unset, as Compose leaves them', () => {
  assert.is(readEnvironment({ PORT: '', LOG_LEVEL: '' }).port, 8080);
});

test('accepts all variables, and is frozen', () => {
  const environment = readEnvironment({
    PORT: '9000',
    ALLOWED_HOSTS: 'Scan.Example.org, other ,',
    PROFILES_DIR: '/mine:/shipped:',
    DMS_URL: 'http://paperless.lan:8000',
    DMS_API_TOKEN: 'abc',
    METRICS: 'on',
    NOTIFY_URL: 'http://ntfy.lan',
    NOTIFY_TOPIC: 'scans',
    PUBLIC_URL: 'http://scanner.lan:8080',
    HOME: '/root',
  });
  assert.is(environment.port, 9000);
  assert.equal(environment.allowedHosts, ['scan.example.org', 'other']);
  assert.equal(environment.profilesDirs, ['/mine', '/shipped']);
  assert.is(environment.dmsUrl, 'http://paperless.lan:8000');
  assert.is(environment.metrics, true);
  assert.equal(environment.notify, {
    url: 'http://ntfy.lan',
    on: 'all',
    topic: 'scans',
    publicUrl: 'http://scanner.lan:8080',
  });
  assert.equal(environment.secretVariables, { DMS_API_TOKEN: 'abc' });
  assert.ok(Object.isFrozen(environment));
});

for (const [name, value, expected] of [
  ['PORT', 'eighty', 'the number of a port, from 0 to 65535'],
  ['PORT', '70000', 'the number of a port, from 0 to 65535'],
  ['OUTPUT_DIR', 'scans', 'an absolute path without . or .. in it'],
  ['OUTPUT_DIR', '/a/../b', 'an absolute path without . or .. in it'],
  ['SECRETS_DIR', 'secrets', 'an absolute path'],
  ['PROCESSOR_URL', 'processor:8081', 'an address such as http://127.0.0.1:8081'],
  ['DMS_URL', 'paperless:8000', 'an http:// or https:// address'],
  ['PUBLIC_URL', 'http://x/"><script>', 'an http:// or https:// address'],
  ['METRICS', 'yes', 'on or off'],
  ['NOTIFY_URL', 'ntfy', 'an address such as http://ntfy.lan'],
  ['NOTIFY_ON', 'never', 'all or failed'],
  ['LOG_LEVEL', 'loud', 'one of trace, debug, info, warn, error, fatal, silent'],
] as const) {
  test(`${name}=${value} is refused with our own message`, () => {
    assert.throws(
      () => readEnvironment({ [name]: value }),
      (error: Error) =>
        error.message.startsWith(`Wrong environment variables: "${name}" must be ${expected}`),
    );
  });
}

test('messages never contain values of other variables', () => {
  assert.throws(
    () => readEnvironment({ PORT: 'x', DMS_API_TOKEN: 'very-secret' }),
    (error: Error) => !error.message.includes('very-secret'),
  );
});
