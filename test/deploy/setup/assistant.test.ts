import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify, stripVTControlCharacters } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createSampleDms, type SampleDms } from '../../../simulators/sample-dms/sample-dms.ts';
import {
  createVirtualScanner,
  writeSaneConfig,
  type VirtualScanner,
} from '../../../simulators/virtual-scanner/virtual-scanner.ts';
import { shippedPage } from '../../support/pages.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { withFixture, type Fixture } from '../../support/with-fixture.ts';
import { within } from '../../support/within.ts';

const MAIN = join(import.meta.dirname, '../../../deploy/setup/main.ts');
const TOKEN = 'c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00';

/** A start of all parts and a scan, on a busy machine. */
const WITHIN_MS = 90_000;

interface Bench extends Fixture {
  readonly root: string;
  readonly scanner: VirtualScanner;
  readonly dms: SampleDms;
}

const test = withFixture(suite('the set-up assistant'), async (): Promise<Bench> => {
  const directory = await temporaryDirectory();
  const root = directory.path;
  await mkdir(join(root, 'config/sane.d'), { recursive: true });
  const scanner = await createVirtualScanner({ pages: [shippedPage('receipt').file], loop: true });
  const dms = await createSampleDms({ tokens: [TOKEN], storeDir: join(root, 'dms') });
  const close = async (): Promise<void> => {
    await scanner.close();
    await dms.close();
    await directory.remove();
  };
  return { root, scanner, dms, close };
});

interface Running {
  /** Waits until the text is printed, after all that was waited for before. */
  readonly shows: (text: string) => Promise<void>;
  /** Likewise, then types the answer. */
  readonly answer: (text: string, typed: string) => Promise<void>;
  readonly end: () => Promise<{ readonly code: number | null; readonly output: string }>;
}

/** Starts the assistant in a pseudo-terminal, for which there is `script` of util-linux. */
function start({ root }: Bench, args = ''): Running {
  const command = `${process.execPath} ${MAIN} ${args}`;
  const child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
    env: { ...process.env, SETUP_DIR: root, TERM: 'dumb', DMS_API_TOKEN: '' },
  });
  let output = '';
  let read = 0;
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  const closed = once(child, 'close');
  const shown = (): string => stripVTControlCharacters(output).replaceAll('\r', '');
  const printed = async (text: string): Promise<void> => {
    for (;;) {
      const at = shown().indexOf(text, read);
      if (at !== -1) {
        read = at + text.length;
        return;
      }
      const more = await Promise.race([once(child.stdout, 'data'), closed.then(() => undefined)]);
      if (more === undefined) throw new Error(`ended before "${text}":\n${shown()}`);
    }
  };
  const explain = (error: Error): never => {
    child.kill('SIGKILL');
    throw new Error(`${error.message}:\n${shown()}`);
  };
  const shows = (text: string): Promise<void> =>
    within(WITHIN_MS, printed(text), `"${text}"`).catch(explain);
  return {
    shows,
    answer: async (text, typed) => {
      await shows(text);
      child.stdin.write(`${typed}\r`);
    },
    end: async () => {
      await within(WITHIN_MS, closed, 'the end').catch(explain);
      return { code: child.exitCode, output: shown() };
    },
  };
}

test('leads from nothing to a filed document: no scanner found, wrong address, wrong token', async (bench) => {
  const { scanner, dms } = bench;
  const { shows, answer, end } = start(bench);
  await shows('No scanner was found.');
  await answer('Address of the scanner', '127.0.0.1:2');
  await shows('No eSCL scanner (AirScan, Mopria) answers at 127.0.0.1:2');
  await answer('Address of the scanner', scanner.url);
  await answer('Where is the paper?', 'ADF');
  await answer('Mode?', '');
  await answer('Resolution in dpi?', '100');
  await answer('Paper?', '');
  await answer('Address of your Paperless-ngx', dms.url);
  await answer('API token', 'wrong');
  await answer('API token', 'two words');
  await shows('That is not a token');
  await answer('API token', `Token ${TOKEN}`);
  await answer('Tags for each document', 'Invoice, Taxes');
  await shows('There is no Taxes.');
  await answer('Tags for each document', 'Invoice, Tax');
  await answer('Correspondent (empty: none)', '');
  await answer('Scan it now?', 'y');
  const { code, output } = await end();
  assert.is(code, 0, output);
  assert.match(
    output,
    /Paperless-ngx refused the token\. Copy it from My Profile in Paperless-ngx/,
  );
  assert.match(output, /Then scan, in a fourth one:\n {2}npm run scan -- default\n/);
  assert.not.match(output, new RegExp(TOKEN), 'the token is not shown while it is typed');
  await dms.idle();
  assert.is(dms.documents().length, 1);
  await checkFiles(bench);
});

async function checkFiles({ root, scanner, dms }: Bench): Promise<void> {
  const profile = await readFile(join(root, 'config/profiles/default.yaml'), 'utf8');
  assert.match(profile, /^name: default\ndevice: airscan:escl:Scanner:/m);
  assert.match(profile, /^source: ADF\nmode: Gray\nresolution: 100\npage_size: a4\n/m);
  assert.match(profile, new RegExp(`base_url: ${dms.url}\n +tags:\n +- Invoice\n +- Tax$`, 'm'));
  const token = join(root, 'secrets/dms_api_token');
  assert.is(await readFile(token, 'utf8'), `${TOKEN}\n`);
  assert.is((await stat(token)).mode & 0o007, 0, 'not readable for others');
  assert.match(await readFile(join(root, '.env'), 'utf8'), new RegExp(`^DMS_URL=${dms.url}$`, 'm'));
  const sane = await readFile(join(root, 'config/sane.d/airscan.conf'), 'utf8');
  assert.match(sane, new RegExp(`"Scanner" = ${scanner.url}, eSCL`));
}

test('finds the scanner of an earlier set-up, and takes options and suggestions instead of asking', async (bench) => {
  const { root, scanner, dms } = bench;
  await writeSaneConfig(join(root, 'config/sane.d'), [{ name: 'Office', url: scanner.url }]);
  await writeFile(join(root, '.env'), `TZ=Europe/Berlin\n#DMS_URL=\n`);
  const options = ['--yes', '--profile', 'both', '--source', 'ADF Duplex', '--dms-url', dms.url];
  const { stdout } = await promisify(execFile)(process.execPath, [MAIN, ...options], {
    env: { ...process.env, SETUP_DIR: root, DMS_API_TOKEN: TOKEN },
  });
  assert.match(stdout, /The scanner answers: airscan:e0:Office/);
  const profile = await readFile(join(root, 'config/profiles/both.yaml'), 'utf8');
  assert.match(
    profile,
    /^device: airscan:e0:Office\nsource: ADF Duplex\nmode: Gray\nresolution: 300\n/m,
  );
  const settings = await readFile(join(root, '.env'), 'utf8');
  assert.match(settings, new RegExp(`^TZ=Europe/Berlin\nDMS_URL=${dms.url}\nSECRETS_DIR=`));
});

test('says which option is missing, and writes nothing, where it cannot ask', async (bench) => {
  const { root, scanner, dms } = bench;
  const options = ['--scanner', scanner.url, '--dms-url', dms.url];
  const run = promisify(execFile)(process.execPath, [MAIN, '--yes', ...options], {
    env: { ...process.env, SETUP_DIR: root, DMS_API_TOKEN: '' },
  });
  const failed = await run.then(
    () => undefined,
    (error: { stderr: string }) => error,
  );
  assert.match(String(failed?.stderr), /Give it with the variable DMS_API_TOKEN\./, failed?.stderr);
  assert.is(existsSync(join(root, 'config/profiles')), false);
});

test.run();
