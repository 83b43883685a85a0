import { join } from 'node:path';
import { DemoError } from '../../../deploy/demo/demo-error.ts';
import { parseOptions } from '../../../deploy/demo/options.ts';
import { assert, suite } from '../../support/suite.ts';

const CHECKOUT = join(import.meta.dirname, '..', '..', '..');

const test = suite('demo options');

test('has an answer for everything that is left out', () => {
  assert.equal(parseOptions([], {}), {
    help: false,
    once: false,
    port: undefined,
    pagesDir: undefined,
    dms: undefined,
    profile: 'demo',
    pagesPerMinute: 25,
    directory: join(CHECKOUT, '.demo'),
  });
});

test('takes what is given', () => {
  const args =
    '--once --port 0 --pages my/pages --profile duplex --ppm 80 --dir /tmp/x --dms http://paperless:8000';
  const options = parseOptions(args.split(' '), { INIT_CWD: '/home/me', DMS_API_TOKEN: 'secret' });
  assert.equal(options, {
    help: false,
    once: true,
    port: 0,
    pagesDir: '/home/me/my/pages',
    dms: { url: 'http://paperless:8000', token: 'secret' },
    profile: 'duplex',
    pagesPerMinute: 80,
    directory: '/tmp/x',
  });
});

const REFUSED: readonly { args: readonly string[]; message: RegExp }[] = [
  { args: ['--onze'], message: /Unknown option '--onze'[^]*Usage: npm run demo/ },
  { args: ['page.png'], message: /Unexpected argument 'page.png'[^]*Usage/ },
  { args: ['--port', '65536'], message: /--port must be a whole number from 0 to 65535/ },
  { args: ['--ppm', '0'], message: /--ppm must be a whole number from 1 to 1000, not "0"/ },
  { args: ['--ppm', '2.5'], message: /--ppm must be/ },
  { args: ['--profile', '../secret'], message: /--profile must be the name of a profile/ },
  { args: ['--dms', 'paperless'], message: /--dms must be an address such as http/ },
  { args: ['--dms', 'ftp://paperless'], message: /--dms must be an address/ },
  { args: ['--dms', 'http://paperless'], message: /the variable DMS_API_TOKEN/ },
];

for (const { args, message } of REFUSED) {
  test(`refuses ${args.join(' ')}`, () => {
    assert.throws(
      () => parseOptions(args, {}),
      (error: unknown) => error instanceof DemoError && message.test(error.message),
    );
  });
}
