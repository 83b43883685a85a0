import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ClientError } from '../../../deploy/terminal/client-error.ts';
import { parseOptions, USAGE } from '../../../deploy/terminal/options.ts';
import { EXIT } from '../../../deploy/terminal/outcome.ts';

const test = suite('options of the terminal client');

test('scans with the default profile at the usual address', () => {
  assert.equal(parseOptions([], {}), {
    help: false,
    json: false,
    baseUrl: 'http://127.0.0.1:8080',
    token: undefined,
    call: { kind: 'scan', body: { profile: undefined, title: undefined, hold: undefined } },
  });
});

test('takes the address and the token from the environment, and an option before it', () => {
  const environment = { SCAN_URL: 'http://scanner.local:8080/', SCAN_API_TOKEN: 'secret' };
  const { baseUrl, token } = parseOptions([], environment);
  assert.equal([baseUrl, token], ['http://scanner.local:8080', 'secret']);
  assert.is(parseOptions(['--url', 'https://a/scan/'], environment).baseUrl, 'https://a/scan');
});

const CALLS: readonly [string, object][] = [
  [
    'duplex --title Bill',
    { kind: 'scan', body: { profile: 'duplex', title: 'Bill', hold: undefined } },
  ],
  ['--continue X --hold', { kind: 'scan', body: { continue_scan: 'X', hold: true } }],
  ['--resume X', { kind: 'resume', scanId: 'X' }],
  ['--watch X', { kind: 'watch', scanId: 'X' }],
];

for (const [args, call] of CALLS) {
  test(`understands ${args}`, () => {
    assert.equal(parseOptions(args.split(' '), {}).call, call);
  });
}

const REFUSED: readonly [string, RegExp][] = [
  ['a b', /Only one profile/],
  ['--resume X --watch Y', /only one of --continue, --resume and --watch/],
  ['--watch X duplex', /A scan keeps the profile/],
  ['--resume X --hold', /--hold is for calls that feed paper/],
  ['--nonsense', /nonsense/],
  ['--url scanner', /--url must be an address such as/],
];

for (const [args, message] of REFUSED) {
  test(`refuses ${args}, and shows the usage`, () => {
    try {
      parseOptions(args.split(' '), {});
      assert.unreachable();
    } catch (error) {
      assert.instance(error, ClientError);
      assert.is((error as ClientError).exitCode, EXIT.usage);
      assert.match(String(error), message);
      assert.match(String(error), 'Usage: npm run scan');
    }
  });
}

test('the usage promises every exit code', () => {
  for (const code of Object.values(EXIT)) assert.match(USAGE, new RegExp(`^ {2}${code} `, 'm'));
});

test.run();
