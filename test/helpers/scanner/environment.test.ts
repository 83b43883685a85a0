import { readEnvironment } from '../../../helpers/scanner/environment.ts';
import { assert, suite } from '../../support/suite.ts';

const test = suite('the environment of the scanner runtime');

function refusal(variables: Record<string, string>): string {
  try {
    readEnvironment(variables);
  } catch (error) {
    return (error as Error).message;
  }
  return assert.unreachable('expected an error') as never;
}

const DEFAULTS = {
  socketPath: '/run/scan-service/scanner.sock',
  saneConfigDir: '/etc/sane.d',
  logLevel: 'info',
  pageTimeoutMs: 120_000,
};

test('has defaults, for empty variables too', () => {
  assert.equal(readEnvironment({ PATH: '/bin' }), DEFAULTS);
  const empty = {
    SCANNER_SOCKET: '',
    SANE_CONFIG_DIR: '',
    LOG_LEVEL: '',
    PAGE_TIMEOUT_SECONDS: '',
  };
  assert.equal(readEnvironment(empty), DEFAULTS);
  assert.ok(Object.isFrozen(readEnvironment({})));
});

test('is read', () => {
  const variables = {
    SCANNER_SOCKET: '/x/s',
    SANE_CONFIG_DIR: '/a:/b',
    LOG_LEVEL: 'debug',
    PAGE_TIMEOUT_SECONDS: '30',
  };
  assert.equal(readEnvironment(variables), {
    socketPath: '/x/s',
    saneConfigDir: '/a:/b',
    logLevel: 'debug',
    pageTimeoutMs: 30_000,
  });
});

test('never gives SANE a search path that ends in the working directory', () => {
  assert.is(readEnvironment({ SANE_CONFIG_DIR: '/a:' }).saneConfigDir, '/a:/etc/sane.d');
});

for (const directories of ['conf', ':', '/a::/b', '/a:b']) {
  test(`refuses "${directories}" for SANE_CONFIG_DIR`, () => {
    assert.match(refusal({ SANE_CONFIG_DIR: directories }), 'SANE_CONFIG_DIR');
  });
}

test('names every wrong variable at once', () => {
  const message = refusal({
    SCANNER_SOCKET: 'relative.sock',
    LOG_LEVEL: 'loud',
    PAGE_TIMEOUT_SECONDS: 'long',
  });
  assert.match(message, '"SCANNER_SOCKET" must be an absolute path of at most 107 bytes');
  assert.match(message, '"LOG_LEVEL" must be one of trace, debug');
  assert.match(message, '"PAGE_TIMEOUT_SECONDS" must be a number of seconds from 1 to 3600');
});

test('refuses a socket path that fits into no address', () => {
  assert.is(readEnvironment({ SCANNER_SOCKET: `/${'x'.repeat(106)}` }).socketPath.length, 107);
  assert.match(refusal({ SCANNER_SOCKET: `/${'ü'.repeat(54)}` }), 'SCANNER_SOCKET');
});
