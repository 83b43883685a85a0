import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { DemoError } from '../../../deploy/demo/demo-error.ts';
import { parseOptions } from '../../../deploy/demo/options.ts';
import { PAGES_DIR } from '../../../simulators/pages/manifest.ts';
import { createSampleDms } from '../../../simulators/sample-dms/sample-dms.ts';
import { allProcesses, mentionsDirectory, remainingAfterWait } from '../../support/processes.ts';
import { run, type WatchedProgram, watchProgram } from '../../support/programs.ts';
import { serve } from '../../support/serve.ts';
import { assert, suite, withFixture, within } from '../../support/suite.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const MAIN = join(ROOT, 'deploy', 'demo', 'main.ts');

/** Time limit: the demo starts, scans and recognizes two pages in 10 s on two busy cores. */
const DEMO_WITHIN_MS = 90_000;

/** A small page, for speed, and a word of its first lines. */
const PAGE = join(PAGES_DIR, 'receipt.jpg');
const WORD = 'Station';

/** Names of processes that still refer to the directory although they should have ended. */
const leftIn = (directory: string): Promise<readonly string[]> =>
  remainingAfterWait(() =>
    allProcesses().flatMap(({ pid, name }) => (mentionsDirectory(pid, directory) ? name : [])),
  );

const test = withFixture('demo', async (root) => {
  const [pages, work] = [join(root, 'pages'), join(root, 'work')];
  const addPage = (name: string): Promise<void> => copyFile(PAGE, join(pages, name));
  await mkdir(pages);
  await addPage('1.jpg');
  const started: WatchedProgram[] = [];
  return {
    root,
    pages,
    work,
    addPage,
    /**
     * Starts the demo on a free port with a fast feeder. The given arguments come last and
     * override.
     */
    start: (args: readonly string[], env: Record<string, string> = {}): WatchedProgram => {
      const given = ['--port', '0', '--ppm', '600', '--pages', pages, '--dir', work, ...args];
      const program = [process.execPath, MAIN, ...given] as const;
      const settings = { env: { ...process.env, ...env }, withinMs: DEMO_WITHIN_MS };
      const demo = watchProgram(program, settings);
      started.push(demo);
      return demo;
    },
    close: async () => {
      for (const { child } of started) child.kill('SIGKILL');
      assert.equal(await leftIn(root), []);
    },
  };
});

const STOP_WITHIN_MS = 30_000;

test('scans the paper, delivers it to the given system, shows the searchable text, and ends', async (folders) => {
  await folders.addPage('2.jpg');
  const dms = await createSampleDms({ tokens: ['a-token'], storeDir: join(folders.root, 'dms') });
  const demo = folders.start(['--once', '--dms', dms.url], { DMS_API_TOKEN: 'a-token' });
  const { code, stdout, stderr } = await demo.ended();
  await dms.idle();
  await dms.close();
  assert.is(code, 0, stdout + stderr);
  assert.is(stderr, '');
  const json = stdout.slice(stdout.indexOf('\n{\n'), stdout.indexOf('\n}\n') + 2);
  const result = JSON.stringify(JSON.parse(json));
  assert.match(result, /"page_count":2.*"status":"submitted","task_id":"/);
  const fed = stdout.match(/^ {2}sheet \d+ is fed: .*$/gm);
  assert.equal(fed, ['  sheet 1 is fed: 1.jpg', '  sheet 2 is fed: 2.jpg']);
  assert.match(stdout, /Filed \d+\.\d s after the last page left the scanner \(2 pages\)/);
  assert.is(dms.documents().length, 1);
  assert.match(stdout, new RegExp(`task ${dms.tasks()[0]?.task_id ?? ''}, see ${dms.url}`));
  assert.not.match(stdout, /a-token/);
  assert.match(stdout.slice(stdout.indexOf('Text found in')), new RegExp(`\\| .*${WORD}`));
});

test('rejects the directory of a running demo, and stops within seconds even during a scan', async (folders) => {
  for (const name of ['2.jpg', '3.jpg']) await folders.addPage(name);
  const demo = folders.start(['--once', '--ppm', '20']);
  await demo.printed('sheet 1 is fed');
  const second = await folders.start(['--once']).ended();
  assert.is(second.code, 1);
  assert.match(second.stderr, new RegExp(`Another demo is running in .*process ${demo.child.pid}`));
  demo.child.kill('SIGINT');
  const { code, stderr } = await within(STOP_WITHIN_MS, demo.ended(), 'the end');
  assert.is(code, 130);
  const stored = /Stopped in the middle of the scan\. \d pages? stored in (\S+)\n$/.exec(stderr);
  assert.ok(existsSync(stored?.[1] ?? ''), stderr);
});

test('leaves no process behind when it is killed', async (folders) => {
  // A killed demo cannot remove its socket, so TMPDIR keeps it inside the test's directory.
  const demo = folders.start([], { TMPDIR: folders.root });
  await demo.printed('sheet 1 is fed');
  demo.child.kill('SIGKILL');
  await demo.ended();
  assert.equal(await leftIn(folders.root), []);
});

test('explains why the system would refuse documents before it feeds paper', async (folders) => {
  const dms = await createSampleDms({ tokens: ['a-token'], storeDir: join(folders.root, 'dms') });
  const given = { DMS_API_TOKEN: 'another' };
  const { code, stdout, stderr } = await folders.start(['--once', '--dms', dms.url], given).ended();
  await dms.close();
  assert.is(code, 1);
  assert.match(stderr, /Paperless-ngx refused the token/);
  assert.not.match(stdout, /Pressing the button/);
});

test('says why a scan failed, with the end of the log concerned', async (folders) => {
  // Enough slow sheets that the jam takes effect before the last, even if this process is late.
  for (const name of ['2.jpg', '3.jpg', '4.jpg']) await folders.addPage(name);
  const demo = folders.start(['--once', '--ppm', '12']);
  const stdout = await demo.printed('logs');
  const [, scanner = ''] = /virtual scanner {2}(\S+)/.exec(stdout) ?? [];
  const jam = { method: 'POST', body: '{"kind":"jam"}' };
  assert.is((await fetch(new URL('/control/fault', scanner), jam)).status, 200);
  const { code, stderr } = await demo.ended();
  assert.is(code, 1);
  assert.match(stderr, /POST \/scan answered 502:[^]*"error": "scanner_jammed"/);
  assert.match(stderr, /The end of .*scanner-runtime\.log:\n\{/);
});

test('starts an appliance that waits to be set up with what it prints, each time anew', async (folders) => {
  const setUp = async (): Promise<void> => {
    const demo = folders.start(['--new']);
    const stdout = await demo.printed('Press Ctrl-C to stop everything.');
    const [, page = ''] = /(http:\S+)#set-up/.exec(stdout) ?? [];
    const printed = (what: string): string =>
      new RegExp(`^ {2}${what} +(\\S+)$`, 'm').exec(stdout)?.[1] ?? '';
    const state = (await (await fetch(`${page}set-up`)).json()) as { state: string };
    assert.is(state.state, 'new');
    let cookie = '';
    const call = async (method: string, url: string, body?: object): Promise<unknown> => {
      const answer = await fetch(`${page}set-up/${url}`, {
        method,
        headers: { 'Content-Type': 'application/json', Cookie: cookie },
        ...(body && { body: JSON.stringify(body) }),
      });
      cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? cookie;
      return answer.status === 204 ? undefined : answer.json();
    };
    await call('POST', 'claim', { password: 'a house by the sea' });
    const { scanners } = (await call('GET', 'scanners')) as { scanners: { name: string }[] };
    assert.is(scanners.length, 1);
    const chosen = await call('POST', 'scanner', { scanner: scanners[0]?.name });
    assert.match(JSON.stringify(chosen), /"name":"Virtual Scanner"/);
    const address = printed('Paperless-ngx');
    const account = { user: printed('user'), password: printed('password') };
    const stored = await call('POST', 'paperless', { address, ...account });
    assert.equal(stored, { address, stored: true });
    const { to_do } = (await call('POST', 'finish', {})) as { to_do: string[] };
    assert.equal(to_do, ['languages', 'buttons', 'house']);
    demo.child.kill('SIGINT');
    assert.is((await within(STOP_WITHIN_MS, demo.ended(), 'the end')).code, 0);
  };
  await setUp();
  await setUp();
});

test('says that a port is taken', async (folders) => {
  const { port, close } = await serve(() => {});
  const { code, stderr } = await folders.start(['--once', '--port', String(port)]).ended();
  await close();
  assert.is(code, 1);
  assert.match(stderr, new RegExp(`Port ${port} is in use`));
});

test('rejects a directory that was not made by a demo', async (folders) => {
  const { work, start } = folders;
  await mkdir(work);
  await writeFile(join(work, 'thesis.txt'), 'mine');
  const foreign = await start(['--once']).ended();
  assert.is(foreign.code, 1);
  assert.match(foreign.stderr, /was not created by a demo/);
  assert.is(await readFile(join(work, 'thesis.txt'), 'utf8'), 'mine');
});

test('shows its usage, and names files it cannot scan', async (folders) => {
  assert.match((await folders.start(['--help']).ended()).stdout, /^Usage: npm run demo/);
  const pages = join(folders.root, 'nowhere');
  const refusal = async (): Promise<string> =>
    (await folders.start(['--pages', pages]).ended()).stderr;
  assert.match(await refusal(), /Cannot read the directory .*nowhere/);
  await mkdir(pages);
  assert.match(await refusal(), /There is no PNG, JPEG or TIFF image in/);
  await writeFile(join(pages, '1.jpg'), 'no image');
  assert.match(await refusal(), /1\.jpg is not a readable image/);
  const { stderr } = await folders.start(['--profile', 'nosuch']).ended();
  assert.match(
    stderr,
    /There is no profile "nosuch"\. Choose one of card, default, demo, duplex, flatbed, receipts\./,
  );
});

/** Pages with commands that newcomers paste, in order. */
const PAGES = ['README.md', 'docs/api.md'];

/** curl prints this to stderr after each response; see `.curlrc`. */
const STATUS = /^status (\d{3})$/gmu;

test('all commands of README.md and docs/api.md run unchanged and in order until Ctrl-C ends the demo', async (folders) => {
  const blocks = await shellBlocks();
  assert.ok(blocks.length >= 5);
  await shorten(folders.pages);
  const demo = folders.start([]);
  const stdout = await demo.printed('Press Ctrl-C to stop everything.');
  const ports = { 8080: portOf(stdout, 'scan service'), 8089: portOf(stdout, 'virtual scanner') };
  const expected = blocks.map((block) => statusesOf(block).join(' '));
  const seen = await runBlocks(blocks, ports, folders.root);
  assert.equal(seen, expected);
  // Both printed PDFs: in the scan directory, and in the sample DMS.
  const paths = stdout.match(/\/\S+\.pdf$/gm) ?? [];
  assert.is(paths.length, 2);
  for (const file of [...paths, join(folders.root, 'document.pdf')]) {
    assert.is((await readFile(file)).subarray(0, 5).toString(), '%PDF-');
  }
  demo.child.kill('SIGINT');
  const { code, stderr } = await within(STOP_WITHIN_MS, demo.ended(), 'the end');
  assert.is(code, 0, stderr);
});

async function shellBlocks(): Promise<string[]> {
  const texts = await Promise.all(PAGES.map((page) => readFile(join(ROOT, page), 'utf8')));
  return [...texts.join('\n').matchAll(/^```sh\n(.*?)^```$/gmsu)].map(([, block = '']) => block);
}

function statusesOf(block: string): readonly number[] {
  if (block.includes('"kind": "jam"')) return [200, 502, 200];
  if (block.includes('curl -X PUT')) return [201];
  return (block.match(/\bcurl /gu) ?? []).map(() => 200);
}

/** Runs the blocks in one shell, with this demo's ports. Returns response statuses per block. */
async function runBlocks(
  blocks: readonly string[],
  ports: Readonly<Record<string, string>>,
  cwd: string,
): Promise<string[]> {
  const script = Object.entries(ports).reduce(
    (text, [usual, port]) => text.replaceAll(`127.0.0.1:${usual}`, `127.0.0.1:${port}`),
    blocks.join('echo next >&2\n'),
  );
  const { exitCode, stdout, stderr } = await run('bash', ['-euo', 'pipefail', '-c', script], {
    cwd,
    env: { CURL_HOME: import.meta.dirname },
  });
  assert.is(exitCode, 0, `${stdout}\n${stderr}`);
  return stderr.split(/^next$/mu).map((part) => {
    return [...part.matchAll(STATUS)].map(([, status]) => status).join(' ');
  });
}

function portOf(stdout: string, part: string): string {
  return new RegExp(`${part} +http://127\\.0\\.0\\.1:(\\d+)`, 'u').exec(stdout)?.[1] ?? '';
}

/** Keeps only the first lines of the page, doubled, which are recognized in a second. */
async function shorten(pages: string): Promise<void> {
  const page = sharp(join(pages, '1.jpg'));
  const { width, height } = await page.metadata();
  const lines = await page
    .extract({ left: 0, top: 0, width, height: Math.round(height / 6) })
    .toBuffer();
  for (const name of ['1.jpg', '2.jpg']) await writeFile(join(pages, name), lines);
}

const options = suite('demo options');

options('has a default for every option', () => {
  assert.equal(parseOptions([], {}), {
    help: false,
    once: false,
    isNew: false,
    port: undefined,
    pagesDir: undefined,
    dms: undefined,
    profile: 'demo',
    pagesPerMinute: 25,
    directory: join(ROOT, '.demo'),
  });
});

options('has another directory for a new appliance, which scans nothing', () => {
  const { isNew, directory } = parseOptions(['--new'], {});
  assert.equal([isNew, directory], [true, join(ROOT, '.demo-new')]);
  for (const other of ['--once', '--dms=http://a', '--profile=duplex']) {
    assert.throws(() => parseOptions(['--new', other], {}), /--new scans nothing/);
  }
});

options('accepts all options', () => {
  const args =
    '--once --port 0 --pages my/pages --profile duplex --ppm 80 --dir /tmp/x --dms http://paperless:8000';
  const options = parseOptions(args.split(' '), { INIT_CWD: '/home/me', DMS_API_TOKEN: 'secret' });
  assert.equal(options, {
    help: false,
    once: true,
    isNew: false,
    port: 0,
    pagesDir: '/home/me/my/pages',
    dms: { url: 'http://paperless:8000', token: 'secret' },
    profile: 'duplex',
    pagesPerMinute: 80,
    directory: '/tmp/x',
  });
});

const MISTAKES: readonly { args: readonly string[]; message: RegExp }[] = [
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

for (const { args, message } of MISTAKES) {
  options(`refuses ${args.join(' ')}`, () => {
    assert.throws(
      () => parseOptions(args, {}),
      (error: unknown) => error instanceof DemoError && message.test(error.message),
    );
  });
}
