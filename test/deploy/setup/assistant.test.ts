import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify, stripVTControlCharacters } from 'node:util';
import { load } from 'js-yaml';
import { createSampleDms, type SampleDms } from '../../../simulators/sample-dms/sample-dms.ts';
import {
  createVirtualScanner,
  writeSaneConfig,
  type VirtualScanner,
} from '../../../simulators/virtual-scanner/virtual-scanner.ts';
import { shippedPage } from '../../support/pages.ts';
import {
  type Fixture,
  assert,
  temporaryDirectory,
  withFixture,
  within,
} from '../../support/suite.ts';

const MAIN = join(import.meta.dirname, '../../../deploy/setup/main.ts');
const TOKEN = 'c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00';

/** A start of all parts and a scan, on a busy machine. */
const WITHIN_MS = 90_000;
/** Of what the kernel ends, on a busy machine. */
const INTERRUPTED_MS = 20_000;

interface Bench extends Fixture {
  readonly root: string;
  readonly scanner: VirtualScanner;
  readonly dms: SampleDms;
}

const test = withFixture('the set-up assistant', async (): Promise<Bench> => {
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

/** The environment of a machine where nothing is set up; what is written stays below `root`. */
function environment(root: string, token = ''): NodeJS.ProcessEnv {
  const OUTPUT_DIR = join(root, 'scans');
  return { ...process.env, SETUP_DIR: root, OUTPUT_DIR, LANG: 'C.UTF-8', DMS_API_TOKEN: token };
}

/** Starts the assistant in a pseudo-terminal, for which there is `script` of util-linux. */
function start({ root }: Bench, args = ''): Running {
  const command = `${process.execPath} ${MAIN} --no-systemd ${args}`;
  const child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
    env: { ...environment(root), TERM: 'dumb' },
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
  await shows('No scanner was found by itself.');
  await answer('Address of the scanner', 'the one in the office');
  await shows('is no address, such as 192.168.1.50');
  await answer('Address of the scanner', '127.0.0.1:2');
  await shows('No eSCL scanner (AirScan, Mopria) answers at 127.0.0.1:2');
  await answer('Address of the scanner', scanner.url);
  await answer('Where is the paper?', 'ADF');
  await answer('Mode?', '');
  await answer('Resolution in dpi?', '100');
  await answer('Paper?', '');
  await answer('Address of your Paperless-ngx', TOKEN);
  await shows('That looks like the token.');
  await answer('Address of your Paperless-ngx', 'http://127.0.0.1:1');
  await shows('Check that Paperless-ngx is running.');
  await answer('Address of your Paperless-ngx', dms.url);
  await shows('Paperless-ngx answers there.');
  await answer('API token', 'wrong');
  await shows('A token has 40 letters and digits, and this one has 5.');
  await answer('API token', 'two words');
  await shows('That is not a token');
  await answer('API token', `Token ${TOKEN}`);
  await answer('Tags for each document', 'Invoice, Taxes');
  await shows('There is no "Taxes". Did you mean "Tax"?');
  await answer('Tags for each document', 'invoice, Tax');
  await answer('Correspondent (empty: none)', '');
  await answer('Languages of your documents', 'Englisch!');
  await shows('"Englisch!" is not a language, such as German');
  await answer('Languages of your documents', 'English');
  await answer('Time zone', 'Berlin');
  await shows('There is no time zone "Berlin".');
  await answer('Time zone', 'Europe/Berlin');
  await answer('Make a caller token?', 'y');
  await shows('Enter it once on each device');
  await answer('Scan it now?', 'y');
  const { code, output } = await end();
  assert.is(code, 0, output);
  assert.match(
    output,
    /Paperless-ngx refused the token\. Copy it from My Profile in Paperless-ngx/,
  );
  assert.match(output, /Then scan, in a fourth one:\n {2}npm run scan -- default\n/);
  const typed = output.slice(output.indexOf('Paperless-ngx answers there.'));
  assert.not.match(typed, new RegExp(TOKEN), 'the token is not shown while it is typed');
  await dms.idle();
  assert.is(dms.documents().length, 1);
  await checkFiles(bench);
  const [scan] = await scansBelow(bench.root);
  assert.ok(existsSync(join(bench.root, 'scans', String(scan), 'page-0001.tif')), 'it is kept');
});

async function scansBelow(root: string): Promise<string[]> {
  return (await readdir(join(root, 'scans'))).filter((name) => !name.startsWith('.'));
}

test('a profile that was edited keeps what is not asked for, and a copy; Enter keeps each answer', async (bench) => {
  const { root, scanner, dms } = bench;
  const file = join(root, 'config/profiles/default.yaml');
  const edited = `# mine
name: default
device: airscan:escl:Scanner:${scanner.url}
source: ADF
mode: Color
resolution: 200
page_size: a5
title: '{first_line}'
processing: { languages: [eng], deskew: true }
destinations:
  - { kind: dms, base_url: '${dms.url}', tags: [1, Tax], correspondent: example bank }
  - { kind: dms, base_url: 'http://other:8000' }
`;
  await mkdir(join(root, 'config/profiles'), { recursive: true });
  await writeFile(file, edited);
  await mkdir(join(root, 'secrets'));
  await writeFile(join(root, 'secrets/dms_api_token'), TOKEN);
  await writeSaneConfig(join(root, 'config/sane.d'), [{ name: 'Scanner', url: scanner.url }]);
  const { answer, shows, end } = start(bench, '--no-test-scan --no-caller-token');
  await shows(
    '  1  eSCL Scanner (airscan:e0:Scanner)\n  2  a scanner on the network, by its address',
  );
  for (const question of ['Which scanner?', 'Where is the paper?', 'Mode?', 'Resolution in dpi?']) {
    await answer(question, '');
  }
  await answer('Paper?', 'a4');
  for (const question of ['Address of your', 'API token', 'Tags', 'Correspondent', 'Languages']) {
    await answer(question, '');
  }
  await answer('Time zone', '');
  await answer('The profile default is there already. Put the answers into it?', 'y');
  await shows('Not done.');
  const { code, output } = await end();
  assert.is(code, 0, output);
  const { name, ...changed } = load(await readFile(file, 'utf8')) as Record<string, unknown>;
  assert.is(name, 'default');
  assert.is(changed['device'], `airscan:escl:Scanner:${scanner.url}`);
  assert.is(changed['page_size'], 'a4');
  assert.is(changed['title'], '{first_line}');
  assert.equal([changed['mode'], changed['resolution']], ['Color', 200]);
  assert.equal(changed['processing'], { languages: ['eng'], deskew: true });
  const [first = {}, second = {}] = changed['destinations'] as Record<string, unknown>[];
  assert.is(first['correspondent'], 'Example Bank');
  assert.equal((first['tags'] as string[]).at(-1), 'Tax');
  assert.is(second['base_url'], 'http://other:8000');
  const copies = await Promise.all(
    (await readdir(join(root, 'config/profiles')))
      .filter((one) => one.endsWith('.bak'))
      .map((one) => readFile(join(root, 'config/profiles', one), 'utf8')),
  );
  assert.equal(copies, [edited]);
});

test('pages of a test scan that ended early stay where they can be resumed', async (bench) => {
  const { root, scanner, dms } = bench;
  scanner.setFault({ kind: 'jam', atPage: 2 });
  const options = ['--yes', '--test-scan', '--scanner', scanner.url, '--dms-url', dms.url];
  const failed = await promisify(execFile)(process.execPath, [MAIN, ...options], {
    env: environment(root, TOKEN),
  }).then(
    ({ stdout }) => assert.unreachable(stdout) as never,
    (error: { stdout: string }) => error,
  );
  const scanId = /--resume (\S+)/.exec(failed.stdout)?.[1];
  assert.ok(existsSync(join(root, 'scans', String(scanId), 'page-0001.tif')), failed.stdout);
});

test('a scanner that is not at hand is left for later', async (bench) => {
  const { root, dms } = bench;
  const options = ['--yes', '--scanner', 'later', '--dms-url', dms.url];
  const { stdout } = await promisify(execFile)(process.execPath, [MAIN, ...options], {
    env: environment(root, TOKEN),
  });
  assert.match(stdout, 'Not done: the scanner is not at hand.');
  const profile = await readFile(join(root, 'config/profiles/default.yaml'), 'utf8');
  assert.match(profile, /^device: auto\nmode: Gray\nresolution: 300\n/m);
});

/** Of a machine where systemd runs, and where its script only says what it is given. */
const WITH_SYSTEMD = `mount -t tmpfs tmpfs /run && mkdir -p /run/systemd/system &&
  mount --bind "$0" ${join(MAIN, '../../systemd/install.sh')} && exec "$@"`;

/** Arguments of `unshare` for the assistant on such a machine. */
function withSystemd(script: string, ...options: readonly string[]): string[] {
  return ['--mount', 'sh', '-c', WITH_SYSTEMD, script, process.execPath, MAIN, '--yes', ...options];
}

test('its last question installs the units, with what was written, once its own parts have stopped', async (bench) => {
  const { root, dms } = bench;
  const script = join(root, 'install.sh');
  await writeFile(script, 'echo "installed with $1, $(ls "$1/secrets")"\n');
  const options = ['--scanner', 'later', '--dms-url', dms.url, '--no-test-scan'];
  const run = (...more: readonly string[]): Promise<{ readonly stdout: string }> =>
    promisify(execFile)('unshare', withSystemd(script, ...options, ...more), {
      env: environment(root, TOKEN),
    });
  const { stdout } = await run('--systemd');
  assert.ok(stdout.endsWith(`\ninstalled with ${root}, dms_api_token\n`), stdout);
  assert.not.match(stdout, 'npm start');
  assert.match(
    (await run()).stdout,
    /with what was written here:\n {2}sh deploy\/systemd\/install\.sh\n$/,
  );
});

test('Ctrl-C ends the installation of the units, too', async ({ root, dms }) => {
  const script = join(root, 'install.sh');
  await writeFile(script, 'echo installing\nexec sleep 60\n');
  const options = ['--scanner', 'later', '--dms-url', dms.url, '--no-test-scan', '--systemd'];
  const child = spawn('unshare', withSystemd(script, ...options), {
    env: environment(root, TOKEN),
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  while (!output.endsWith('installing\n')) {
    await within(WITHIN_MS, once(child.stdout, 'data'), 'the installation');
  }
  child.kill('SIGINT');
  // The script has the same stdout, which is closed when it has ended, too.
  await within(INTERRUPTED_MS, once(child, 'close'), 'the end of the script');
});

test('a terminal that is closed leaves nothing behind', async (bench) => {
  const temporary = join(bench.root, 'tmp');
  await mkdir(temporary);
  const child = spawn(process.execPath, [MAIN, '--scanner', bench.scanner.url], {
    env: { ...environment(bench.root), TMPDIR: temporary },
  });
  await within(WITHIN_MS, once(child.stdout, 'data'), 'the first line');
  child.kill('SIGHUP');
  const [code] = (await within(WITHIN_MS, once(child, 'close'), 'the end')) as [number];
  assert.is(code, 129);
  assert.equal(await readdir(temporary), []);
});

async function checkFiles({ root, scanner, dms }: Bench): Promise<void> {
  const profile = await readFile(join(root, 'config/profiles/default.yaml'), 'utf8');
  assert.match(
    profile,
    /^name: default\nlabel:\n {2}en: Letters\n {2}de: Briefe\ndevice: airscan:escl:Scanner:/m,
  );
  assert.match(profile, /^processing:\n {2}languages:\n {4}- eng$/m);
  const callerToken = await readFile(join(root, 'secrets/scan_api_token'), 'utf8');
  assert.match(callerToken, /^[0-9a-f]{40}\n$/);
  assert.match(await readFile(join(root, '.env'), 'utf8'), /^TZ=Europe\/Berlin$/m);
  assert.match(profile, /^source: ADF\nmode: Gray\nresolution: 100\npage_size: a4\n/m);
  assert.match(profile, new RegExp(`base_url: ${dms.url}\n +tags:\n +- Invoice\n +- Tax$`, 'm'));
  const token = join(root, 'secrets/dms_api_token');
  assert.is(await readFile(token, 'utf8'), `${TOKEN}\n`);
  assert.is((await stat(token)).mode & 0o007, 0, 'not readable for others');
  assert.match(await readFile(join(root, '.env'), 'utf8'), new RegExp(`^DMS_URL=${dms.url}$`, 'm'));
  const sane = await readFile(join(root, 'config/sane.d/airscan.conf'), 'utf8');
  const line = `"Scanner" = ${scanner.url}, eSCL`;
  assert.is(sane, `[devices]\n${line}\n\n[options]\ndiscovery = disable\n`);
}

test('finds the scanner of an earlier set-up, and takes options and suggestions instead of asking', async (bench) => {
  const { root, scanner, dms } = bench;
  await writeSaneConfig(join(root, 'config/sane.d'), [{ name: 'Office', url: scanner.url }]);
  await writeFile(join(root, '.env'), `TZ=Europe/Berlin\n#DMS_URL=\n`);
  const options = ['--yes', '--profile', 'both', '--source', 'ADF Duplex', '--dms-url', dms.url];
  const { stdout } = await promisify(execFile)(process.execPath, [MAIN, ...options], {
    env: environment(root, TOKEN),
  });
  assert.match(stdout, /The scanner answers: Office/);
  const profile = await readFile(join(root, 'config/profiles/both.yaml'), 'utf8');
  assert.match(profile, /^device: Office\nsource: ADF Duplex\nmode: Gray\nresolution: 300\n/m);
  const settings = await readFile(join(root, '.env'), 'utf8');
  assert.match(settings, new RegExp(`^TZ=Europe/Berlin\nDMS_URL=${dms.url}\nSECRETS_DIR=`));
});

test('says which option is missing, and writes nothing, where it cannot ask', async (bench) => {
  const { root, scanner, dms } = bench;
  const options = ['--scanner', scanner.url, '--dms-url', dms.url];
  const run = promisify(execFile)(process.execPath, [MAIN, '--yes', ...options], {
    env: environment(root),
  });
  const failed = await run.then(
    () => undefined,
    (error: { stderr: string }) => error,
  );
  assert.match(String(failed?.stderr), /Give it with the variable DMS_API_TOKEN\./, failed?.stderr);
  assert.is(existsSync(join(root, 'config/profiles')), false);
});
