import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ClientError } from '../../../deploy/terminal/client-error.ts';
import { parseOptions, USAGE } from '../../../deploy/terminal/options.ts';
import { EXIT } from '../../../deploy/terminal/outcome.ts';

const test = suite('options of the terminal client');

const UNSAID = { tags: undefined, created: undefined, hold: undefined };

test('scans with the default profile at the usual address', () => {
  assert.equal(parseOptions([], {}), {
    help: false,
    json: false,
    list: false,
    baseUrl: 'http://127.0.0.1:8080',
    token: undefined,
    call: { kind: 'scan', body: { ...UNSAID, profile: undefined, title: undefined } },
  });
});

test('takes the address and the token from the environment, and an option before it', () => {
  const environment = { SCAN_URL: 'http://scanner.local:8080/', SCAN_API_TOKEN: 'secret' };
  const { baseUrl, token } = parseOptions([], environment);
  assert.equal([baseUrl, token], ['http://scanner.local:8080', 'secret']);
  assert.is(parseOptions(['--url', 'https://a/scan/'], environment).baseUrl, 'https://a/scan');
});

const CALLS: readonly [string, object][] = [
  ['duplex --title Bill', { kind: 'scan', body: { ...UNSAID, profile: 'duplex', title: 'Bill' } }],
  [
    '--tags bills,2026 --created 2026-11-24',
    {
      kind: 'scan',
      body: {
        profile: undefined,
        title: undefined,
        tags: ['bills', '2026'],
        created: '2026-11-24',
        hold: undefined,
      },
    },
  ],
  [
    '--continue X --hold',
    { kind: 'scan', body: { continue_scan: 'X', side: undefined, hold: true } },
  ],
  [
    '--continue X --side backs',
    { kind: 'scan', body: { continue_scan: 'X', side: 'backs', hold: undefined } },
  ],
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
  ['--resume X --side backs', /--side is for --continue/],
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
