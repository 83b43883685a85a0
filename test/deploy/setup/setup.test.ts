import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { load } from 'js-yaml';
import {
  CONTAINER_ID,
  giveToContainers,
  letContainersRead,
} from '../../../deploy/setup/container-access.ts';
import { parseOptions } from '../../../deploy/setup/options.ts';
import { placesFor } from '../../../deploy/setup/places.ts';
import { type Choices, writeFiles } from '../../../deploy/setup/write-files.ts';
import { createSampleDms } from '../../../simulators/sample-dms/sample-dms.ts';
import {
  createVirtualScanner,
  writeSaneConfig,
} from '../../../simulators/virtual-scanner/virtual-scanner.ts';
import { shippedPage } from '../../support/pages.ts';
import { type WatchedProgram, watchProgram } from '../../support/programs.ts';
import { assert, inDirectory, withFixture, within } from '../../support/suite.ts';

const MAIN = join(import.meta.dirname, '../../../deploy/setup/main.ts');
const TOKEN = 'c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00';

const WITHIN_MS = 90_000;
const INTERRUPTED_MS = 20_000;

const test = withFixture('the set-up assistant', async (root) => {
  await mkdir(join(root, 'config/sane.d'), { recursive: true });
  await mkdir(join(root, 'tmp'));
  const scanner = await createVirtualScanner({ pages: [shippedPage('receipt').file], loop: true });
  const dms = await createSampleDms({ tokens: [TOKEN], storeDir: join(root, 'dms') });
  return {
    root,
    scanner,
    dms,
    run: (args: readonly string[], token = TOKEN) =>
      watch(root, [process.execPath, MAIN, '--yes', ...args], { DMS_API_TOKEN: token }).ended(),
    read: (file: string) => readFile(join(root, file), 'utf8'),
    close: () => Promise.all([scanner.close(), dms.close()]),
  };
});

/** Starts a program as on a new machine; its files go below `root`. */
function watch(root: string, program: readonly [string, ...string[]], more = {}): WatchedProgram {
  const given = {
    SETUP_DIR: root,
    OUTPUT_DIR: join(root, 'scans'),
    LANG: 'C.UTF-8',
    TMPDIR: join(root, 'tmp'),
  };
  const env = { ...process.env, ...given, DMS_API_TOKEN: '', ...more };
  return watchProgram(program, { env, withinMs: WITHIN_MS });
}

interface Running {
  /** Waits until the text appears after the text of the previous wait. */
  readonly shows: (text: string) => Promise<void>;
  /** Like `shows`, then types the answer. */
  readonly answer: (text: string, typed: string) => Promise<void>;
  readonly interrupt: () => void;
  readonly end: () => Promise<{ readonly code: number | null; readonly output: string }>;
}

/** Starts the assistant in a pseudo-terminal, using `script` of util-linux. */
function start(root: string, args = '', env = {}): Running {
  const command = `${process.execPath} ${MAIN} --no-systemd ${args}`;
  const script = ['script', '--quiet', '--return', '--command', command, '/dev/null'] as const;
  const program = watch(root, script, { TERM: 'dumb', ...env });
  return { ...follow(program), interrupt: () => program.child.stdin.write('\u0003') };
}

function startUnasked(root: string, args: string, env: Record<string, string>): Running {
  const program = watch(root, [process.execPath, MAIN, '--yes', ...args.split(' ')], env);
  return { ...follow(program), interrupt: () => program.child.kill('SIGINT') };
}

function follow({ child, output, until, ended }: WatchedProgram): Omit<Running, 'interrupt'> {
  let read = 0;
  const shown = (): string => stripVTControlCharacters(output.stdout).replaceAll('\r', '');
  const explain = (error: Error): never => {
    child.kill('SIGKILL');
    throw new Error(`${error.message}:\n${shown()}`);
  };
  const shows = async (text: string): Promise<void> => {
    await until(() => shown().includes(text, read), `"${text}"`).catch(explain);
    read = shown().indexOf(text, read) + text.length;
  };
  return {
    shows,
    answer: async (text, typed) => {
      await shows(text);
      child.stdin.write(`${typed}\r`);
    },
    end: async () => {
      const { code, stderr } = await ended().catch(explain);
      return { code, output: shown() + stderr };
    },
  };
}

test('leads from nothing to a filed document: no scanner found, wrong address, wrong token', async (given) => {
  const { root, scanner, dms, read } = given;
  const { shows, answer, end } = start(root);
  await shows('No scanner was found.');
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
  assert.match(output, /Then, in a fourth terminal, start a scan:\n {2}npm run scan -- default\n/);
  const typed = output.slice(output.indexOf('Paperless-ngx answers there.'));
  assert.not.match(typed, new RegExp(TOKEN), 'the token is not shown while it is typed');
  await dms.idle();
  assert.is(dms.documents().length, 1);
  const profile = await read('config/profiles/default.yaml');
  assert.match(
    profile,
    /^name: default\nlabel:\n {2}en: Letters\n {2}de: Briefe\ndevice: airscan:escl:Scanner:/m,
  );
  assert.match(profile, /^processing:\n {2}languages:\n {4}- eng$/m);
  assert.match(await read('secrets/scan_api_token'), /^[0-9a-f]{40}\n$/);
  assert.match(await read('.env'), /^TZ=Europe\/Berlin$/m);
  assert.match(profile, /^source: ADF\nmode: Gray\nresolution: 100\npage_size: a4\n/m);
  assert.match(profile, new RegExp(`base_url: ${dms.url}\n +tags:\n +- Invoice\n +- Tax$`, 'm'));
  assert.is(await read('secrets/dms_api_token'), `${TOKEN}\n`);
  const { mode } = await stat(join(root, 'secrets/dms_api_token'));
  assert.is(mode & 0o007, 0, 'not readable for others');
  assert.match(await read('.env'), new RegExp(`^DMS_URL=${dms.url}$`, 'm'));
  assert.is(
    await read('config/sane.d/airscan.conf'),
    `[devices]\n"Scanner" = ${scanner.url}, eSCL\n\n[options]\ndiscovery = disable\n`,
  );
  const [scan = ''] = (await readdir(join(root, 'scans'))).filter((name) => !name.startsWith('.'));
  assert.ok(existsSync(join(root, 'scans', scan, 'page-0001.tif')), 'it is kept');
});

test('an edited profile keeps settings that set-up does not ask about, and a copy; Enter keeps each answer', async (bench) => {
  const { root, scanner, dms, read } = bench;
  const profiles = join(root, 'config/profiles');
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
  await mkdir(profiles, { recursive: true });
  await writeFile(join(profiles, 'default.yaml'), edited);
  await mkdir(join(root, 'secrets'));
  await writeFile(join(root, 'secrets/dms_api_token'), TOKEN);
  await writeSaneConfig(join(root, 'config/sane.d'), [{ name: 'Scanner', url: scanner.url }]);
  const { answer, shows, end } = start(root, '--no-test-scan --no-caller-token');
  const byAddress = '2  a scanner on the network, by its address';
  await shows(`  1  eSCL Scanner (airscan:e0:Scanner)\n  ${byAddress}`);
  const kept = ['Which scanner?', 'Where is the paper?', 'Mode?', 'Resolution in dpi?'];
  for (const question of kept) await answer(question, '');
  await answer('Paper?', 'a4');
  const more = ['Address of your', 'API token', 'Tags', 'Correspondent', 'Languages', 'Time zone'];
  for (const question of more) await answer(question, '');
  await answer('The profile default is there already. Put the answers into it?', 'y');
  await shows('Not done.');
  const { code, output } = await end();
  assert.is(code, 0, output);
  const text = await read('config/profiles/default.yaml');
  const { name, ...changed } = load(text) as Record<string, unknown>;
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
  const copies = (await readdir(profiles)).filter((one) => one.endsWith('.bak'));
  assert.is(copies.length, 1);
  assert.is(await read(`config/profiles/${copies[0]}`), edited);
});

test('the pages of an incomplete test scan are kept for a resume', async (bench) => {
  const { root, scanner, dms, run } = bench;
  scanner.setFault({ kind: 'jam', atPage: 2 });
  const failed = await run(['--test-scan', '--scanner', scanner.url, '--dms-url', dms.url]);
  assert.is.not(failed.code, 0);
  const scanId = /--resume (\S+)/.exec(failed.stdout)?.[1];
  assert.ok(existsSync(join(root, 'scans', String(scanId), 'page-0001.tif')), failed.stdout);
});

/** Simulates a machine with systemd, whose install script only prints its arguments. */
const WITH_SYSTEMD = `mount -t tmpfs tmpfs /run && mkdir -p /run/systemd/system &&
  mount --bind "$0" ${join(MAIN, '../../systemd/install.sh')} && exec "$@"`;

async function startWithSystemd(
  root: string,
  text: string,
  ...options: readonly string[]
): Promise<WatchedProgram> {
  const script = join(root, 'install.sh');
  await writeFile(script, text);
  const run = ['unshare', '--mount', 'sh', '-c', WITH_SYSTEMD, script] as const;
  const setup = [process.execPath, MAIN, '--yes', '--scanner', 'later', '--no-test-scan'];
  return watch(root, [...run, ...setup, ...options], { DMS_API_TOKEN: TOKEN });
}

test('the scanner can be skipped; the last question installs the units with the new settings', async (bench) => {
  const { root, dms, read } = bench;
  const text = 'echo "installed with $1, $(ls "$1/secrets")"\n';
  const asked = await startWithSystemd(root, text, '--dms-url', dms.url, '--systemd');
  const { code, stdout } = await asked.ended();
  assert.is(code, 0);
  assert.ok(stdout.endsWith(`\ninstalled with ${root}, dms_api_token\n`), stdout);
  assert.not.match(stdout, 'npm start');
  const later = await (await startWithSystemd(root, text, '--dms-url', dms.url)).ended();
  assert.is(later.code, 0);
  assert.match(later.stdout, 'Not done: the scanner is not at hand.');
  const profile = await read('config/profiles/default.yaml');
  assert.match(profile, /^device: auto\nmode: Gray\nresolution: 300\n/m);
  const hint = /with these settings:\n {2}sh deploy\/systemd\/install\.sh\n$/;
  assert.match(later.stdout, hint);
});

test('Ctrl-C also stops the installation of the units', async ({ root, dms }) => {
  const text = 'echo installing\nexec sleep 60\n';
  const setup = await startWithSystemd(root, text, '--dms-url', dms.url, '--systemd');
  await setup.printed('\ninstalling\n');
  setup.child.kill('SIGINT');
  // The assistant and the script share stdout, which closes only when both have ended.
  await within(INTERRUPTED_MS, setup.ended(), 'the end of the script');
});

const ANSWERS =
  '--mode Gray --resolution 200 --page-size a4 --tags= --correspondent= --languages eng --time-zone UTC --no-caller-token';

const QUESTIONS = [
  { args: '', question: 'Address of the scanner' },
  { args: '--scanner later', question: 'Mode?' },
  { args: `--scanner later ${ANSWERS}`, question: 'Address of your Paperless-ngx' },
  { args: `--scanner later ${ANSWERS} --dms-url DMS`, question: 'API token' },
];

for (const { args, question } of QUESTIONS) {
  test(`Ctrl-C at "${question}" ends set-up and reports that nothing was written`, async (bench) => {
    const { root, dms } = bench;
    const { shows, interrupt, end } = start(root, args.replace('DMS', dms.url));
    await shows(question);
    interrupt();
    const { code, output } = await end();
    assert.is(code, 130, output);
    assert.match(output, /Stopped\. Nothing was written\.\nStart again:\n {2}npm run setup\n$/);
    assert.is(existsSync(join(root, 'config/profiles')), false);
    assert.equal(await readdir(join(root, 'tmp')), []);
  });
}

test('Ctrl-C after the files are written reports that the answers are stored', async (bench) => {
  const { root, scanner, dms } = bench;
  const options = `--scanner ${scanner.url} --source ADF --dms-url ${dms.url} ${ANSWERS}`;
  const { answer, shows, interrupt, end } = start(root, options);
  await answer('API token', TOKEN);
  await shows('Scan it now?');
  interrupt();
  const { code, output } = await end();
  assert.is(code, 130, output);
  const message =
    /Stopped\. Your answers are stored in the files above\.\nGo on, where Enter keeps each answer:\n {2}npm run setup\n$/;
  assert.match(output, message);
  assert.equal(await readdir(join(root, 'tmp')), []);
});

for (const way of ['a key', 'a signal'] as const) {
  test(`Ctrl-C as ${way} during the test scan stops it and names the stored pages`, async (bench) => {
    const { root, scanner, dms } = bench;
    scanner.setFault({ kind: 'wait', atPage: 2 });
    const options = `--scanner ${scanner.url} --source ADF --dms-url ${dms.url} ${ANSWERS} --test-scan`;
    const env = { DMS_API_TOKEN: TOKEN };
    const setup = way === 'a key' ? start(root, options, env) : startUnasked(root, options, env);
    await setup.shows('page 1: front of sheet 1');
    setup.interrupt();
    const { code, output } = await setup.end();
    assert.is(code, 130, output);
    const [, id = ''] = /The test scan (\S+) stored 1 page, which stay/.exec(output) ?? [];
    assert.match(output, `npm run scan -- --resume ${id}\n`);
    assert.ok(existsSync(join(root, 'scans', id, 'page-0001.tif')), output);
    assert.equal(await readdir(join(root, 'tmp')), []);
    await dms.idle();
    assert.is(dms.documents().length, 0, 'nothing is filed');
  });
}

test('closing the terminal leaves nothing behind', async ({ root, scanner }) => {
  const setup = watch(root, [process.execPath, MAIN, '--scanner', scanner.url]);
  await setup.until(() => setup.output.stdout !== '', 'the first line');
  setup.child.kill('SIGHUP');
  assert.is((await setup.ended()).code, 129);
  assert.equal(await readdir(join(root, 'tmp')), []);
});

test('finds the scanner of an earlier set-up, and uses options instead of asking', async (bench) => {
  const { root, scanner, dms, run, read } = bench;
  await writeSaneConfig(join(root, 'config/sane.d'), [{ name: 'Office', url: scanner.url }]);
  await writeFile(join(root, '.env'), `TZ=Europe/Berlin\n#DMS_URL=\n`);
  const options = ['--profile', 'both', '--source', 'ADF Duplex', '--dms-url', dms.url];
  const { code, stdout } = await run(options);
  assert.is(code, 0);
  assert.match(stdout, /The scanner answers: Office/);
  const profile = await read('config/profiles/both.yaml');
  assert.match(profile, /^device: Office\nsource: ADF Duplex\nmode: Gray\nresolution: 300\n/m);
  const settings = new RegExp(`^TZ=Europe/Berlin\nDMS_URL=${dms.url}\nSECRETS_DIR=`);
  assert.match(await read('.env'), settings);
});

test('without a terminal, names the missing option and writes nothing', async (bench) => {
  const { root, scanner, dms, run } = bench;
  const failed = await run(['--scanner', scanner.url, '--dms-url', dms.url], '');
  assert.is.not(failed.code, 0);
  assert.match(failed.stderr, /Give it with the variable DMS_API_TOKEN\./);
  assert.is(existsSync(join(root, 'config/profiles')), false);
});

const files = inDirectory('what set-up writes');

const CHOICES: Choices = {
  profile: 'default',
  profileText: 'name: default\n',
  scanner: { device: 'fujitsu:fi-7160:1234', escl: undefined },
  secrets: { dms_api_token: 'new' },
  variables: { DMS_URL: 'http://dms:8000' },
};

files('a profile has a valid name that cannot escape its directory', () => {
  for (const name of ['../../../x', 'My Profile', 'Büro', '']) {
    assert.throws(
      () => parseOptions(['--profile', name], {}),
      /--profile must be lower-case letters/,
    );
  }
  assert.is(parseOptions(['--profile', 'invoices-2'], {}).profile, 'invoices-2');
});

files(
  'a file is replaced atomically and keeps its settings, mode and link target; a token is private',
  async (given) => {
    const { directory, file } = given;
    const places = placesFor({ SETUP_DIR: directory });
    await mkdir(places.secrets);
    const token = join(places.secrets, 'dms_api_token');
    await writeFile(token, 'old');
    await chmod(token, 0o644);
    await writeFile(file('settings'), 'TZ=Europe/Berlin\n');
    await chmod(file('settings'), 0o640);
    await symlink('settings', places.settings);
    const before = await stat(places.settings);
    await writeFiles(places, CHOICES);
    const after = await stat(places.settings);
    assert.is.not(after.ino, before.ino);
    assert.is(after.mode & 0o777, 0o640);
    const settings = await readFile(file('settings'), 'utf8');
    assert.is(settings, 'TZ=Europe/Berlin\nDMS_URL=http://dms:8000\n');
    assert.is(await readFile(token, 'utf8'), 'new\n');
    assert.is((await stat(token)).mode & 0o007, 0);
    const left = (await readdir(directory)).filter((name) => name.endsWith('.tmp'));
    assert.equal(left, []);
  },
);

files(
  'an airscan.conf without a discovery setting gets discovery switched off; others stay unchanged',
  async (given) => {
    const places = placesFor({ SETUP_DIR: given.directory });
    const file = join(places.sane, 'airscan.conf');
    const written = async (device = CHOICES.scanner.device): Promise<string> => {
      await writeFiles(places, { ...CHOICES, scanner: { device, escl: undefined } });
      return readFile(file, 'utf8');
    };
    await mkdir(places.sane, { recursive: true });
    const devices = '[devices]\n"Scanner" = http://192.168.1.50/eSCL, eSCL\n\n';
    await writeFile(file, devices);
    for (const found of ['auto', 'OfficeJet 3830', 'airscan:e1:OfficeJet']) {
      assert.is(await written(found), devices, `${found} may be found by the search only`);
    }
    assert.is(await written(), `${devices}[options]\ndiscovery = disable\n`);
    const searched = `[options]\n discovery = enable\n\n${devices}`;
    await writeFile(file, searched);
    assert.is(await written(), searched);
  },
);

const access = inDirectory('access of the containers');

/** Only root can give a file to another group. */
const isRoot = process.getuid?.() === 0;

async function rights(file: string): Promise<[mode: string, gid: number]> {
  const { mode, gid } = await stat(file);
  return [(mode & 0o777).toString(8), gid];
}

if (isRoot) {
  access('files made with umask 077 become readable for the containers only', async ({ file }) => {
    const [secrets, token] = [file('secrets'), file('secrets/dms_api_token')];
    await mkdir(secrets);
    await writeFile(token, 'abc');
    await symlink('/etc/shadow', file('secrets/link'));
    await chmod(secrets, 0o700);
    await chmod(token, 0o600);
    const shadow = await rights('/etc/shadow');
    assert.equal(await letContainersRead(secrets), [secrets, token]);
    assert.equal(await rights(secrets), ['750', CONTAINER_ID]);
    assert.equal(await rights(token), ['640', CONTAINER_ID]);
    assert.equal(await rights('/etc/shadow'), shadow);
    assert.equal(await letContainersRead(secrets), []);
  });

  access('only empty directories become writable for the containers', async ({ file }) => {
    const [empty, used] = [file('empty'), file('used')];
    for (const one of [empty, used]) {
      await mkdir(one, { mode: 0o700 });
      await chown(one, 1234, 1234);
    }
    await writeFile(file('used/letter'), 'mine');
    assert.ok(await giveToContainers(empty));
    assert.equal(await rights(empty), ['770', CONTAINER_ID]);
    assert.not.ok(await giveToContainers(used));
    assert.equal(await rights(used), ['700', 1234]);
  });

  access(
    'a directory of root changes its owner only if it holds nothing but scans',
    async ({ file }) => {
      const [fresh, scans, share] = [file('fresh'), file('scans'), file('share')];
      for (const one of [fresh, scans, share]) await mkdir(one, { mode: 0o755 });
      await mkdir(file('scans/20261121T063000Z-8f3a1c'));
      await writeFile(file('scans/.service.lock'), '');
      await writeFile(file('share/letter'), 'mine');
      for (const one of [fresh, scans]) {
        assert.ok(await giveToContainers(one));
        assert.equal(await rights(one), ['750', CONTAINER_ID]);
      }
      assert.not.ok(await giveToContainers(share));
      assert.equal(await rights(share), ['755', 0]);
    },
  );
}

access('files readable by everyone are left unchanged', async ({ file }) => {
  const profiles = file('profiles');
  await mkdir(profiles);
  await chmod(profiles, 0o755);
  const before = await rights(profiles);
  assert.equal(await letContainersRead(profiles), []);
  assert.equal(await rights(profiles), before);
});
