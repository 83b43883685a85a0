import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createSampleDms } from '../../../simulators/sample-dms/sample-dms.ts';
import { assert, withFixture, within } from '../../support/suite.ts';
import { WORD, createFolders, processesIn, startDemo } from './run-demo.ts';

/** What Ctrl-C may take on a machine however busy. */
const STOP_WITHIN_MS = 30_000;

const test = withFixture('demo', createFolders);

test('scans the paper, shows the searchable text and where it was filed, and ends', async (folders) => {
  const { pages, work } = folders;
  await folders.addPage('2.jpg');
  const args = ['--once', '--pages', pages, '--dir', work];
  const { code, stdout, stderr } = await startDemo(args).ended;
  assert.is(code, 0, stdout + stderr);
  assert.is(stderr, '');
  const json = stdout.slice(stdout.indexOf('\n{\n'), stdout.indexOf('\n}\n') + 2);
  const result = JSON.stringify(JSON.parse(json));
  assert.match(result, /"page_count":2.*"status":"submitted","task_id":"/);
  const fed = stdout.match(/^ {2}sheet \d+ is fed: .*$/gm);
  assert.equal(fed, ['  sheet 1 is fed: 1.jpg', '  sheet 2 is fed: 2.jpg']);
  assert.match(stdout, /Filed \d+\.\d s after the last page left the scanner \(2 pages\)/);
  const paths = stdout.match(/\/\S+\.pdf$/gm) ?? [];
  assert.is(paths.length, 2, 'one in the scan directory, one in the DMS');
  for (const path of paths) {
    assert.is((await readFile(path)).subarray(0, 5).toString(), '%PDF-');
  }
  assert.match(stdout.slice(stdout.indexOf('Text found in')), new RegExp(`\\| .*${WORD}`));
});

test('stays up with the feeder filled again, until Ctrl-C ends it within seconds', async (folders) => {
  const { pages, work } = folders;
  const demo = startDemo(['--pages', pages, '--dir', work]);
  const stdout = await demo.printed('Press Ctrl-C to stop everything.');
  const [, url = ''] = /scan service {5}(\S+)/.exec(stdout) ?? [];
  const again = await fetch(`${url}/scan`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"profile":"demo"}',
  });
  assert.is(again.status, 200, await again.text());
  demo.signal('SIGINT');
  const { code, stderr } = await within(STOP_WITHIN_MS, demo.ended, 'the end');
  assert.is(code, 0, stderr);
});

test('ends within seconds in the middle of a scan too', async (folders) => {
  const { pages, work } = folders;
  for (const name of ['2.jpg', '3.jpg']) await folders.addPage(name);
  const demo = startDemo(['--once', '--ppm', '20', '--pages', pages, '--dir', work]);
  await demo.printed('sheet 1 is fed');
  demo.signal('SIGINT');
  const { code } = await within(STOP_WITHIN_MS, demo.ended, 'the end');
  assert.is(code, 130);
});

test('leaves no process behind when it is killed', async (folders) => {
  const { root, pages, work } = folders;
  // Its socket stays, as whatever a killed process has made.
  const demo = startDemo(['--pages', pages, '--dir', work], { TMPDIR: root });
  await demo.printed('sheet 1 is fed');
  demo.signal('SIGKILL');
  await demo.ended;
  const deadline = Date.now() + STOP_WITHIN_MS;
  while ((await processesIn(root)).length > 0 && Date.now() < deadline);
  assert.equal(await processesIn(root), []);
});

test('delivers to a real system, with the token from the environment', async (folders) => {
  const { root, pages, work } = folders;
  const dms = await createSampleDms({ tokens: ['a-token'], storeDir: join(root, 'dms') });
  const args = ['--once', '--pages', pages, '--dir', work, '--dms', dms.url];
  try {
    const { code, stdout, stderr } = await startDemo(args, { DMS_API_TOKEN: 'a-token' }).ended;
    assert.is(code, 0, stdout + stderr);
    await dms.idle();
    assert.is(dms.documents().length, 1);
    assert.match(stdout, new RegExp(`task ${dms.tasks()[0]?.task_id ?? ''}, see ${dms.url}`));
    assert.not.match(stdout, /a-token/);
  } finally {
    await dms.close();
  }
});

const failing = withFixture('demo failures', createFolders);

failing(
  'says before it feeds paper why a real system would not take the documents',
  async (folders) => {
    const { root, pages, work } = folders;
    const dms = await createSampleDms({ tokens: ['a-token'], storeDir: join(root, 'dms') });
    const args = ['--once', '--pages', pages, '--dir', work, '--dms', dms.url];
    try {
      const { code, stdout, stderr } = await startDemo(args, { DMS_API_TOKEN: 'another' }).ended;
      assert.is(code, 1);
      assert.match(stderr, /Paperless-ngx refused the token/);
      assert.not.match(stdout, /Pressing the button/);
    } finally {
      await dms.close();
    }
  },
);

failing('says why a scan failed, with the end of the log concerned', async (folders) => {
  const { pages, work } = folders;
  // The jam is there before the last sheet has passed, however late this process is.
  for (const name of ['2.jpg', '3.jpg', '4.jpg']) await folders.addPage(name);
  const demo = startDemo(['--once', '--ppm', '12', '--pages', pages, '--dir', work]);
  const stdout = await demo.printed('logs');
  const [, scanner = ''] = /virtual scanner {2}(\S+)/.exec(stdout) ?? [];
  const jam = { method: 'POST', body: '{"kind":"jam"}' };
  assert.is((await fetch(new URL('/control/fault', scanner), jam)).status, 200);
  const { code, stderr } = await demo.ended;
  assert.is(code, 1);
  assert.match(stderr, /POST \/scan answered 502:[^]*"error": "scanner_jammed"/);
  assert.match(stderr, /The end of .*scanner-runtime\.log:\n\{/);
});

failing('says that a port is taken', async (folders) => {
  const { pages, work } = folders;
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  const args = ['--once', '--pages', pages, '--dir', work, '--port', String(port)];
  const { code, stderr } = await startDemo(args).ended;
  server.close();
  assert.is(code, 1);
  assert.match(stderr, new RegExp(`Port ${port} is in use`));
});

failing('uses no directory but that of an ended demo', async (folders) => {
  const { root, pages, work } = folders;
  await mkdir(work);
  await writeFile(join(work, 'thesis.txt'), 'mine');
  const foreign = await startDemo(['--once', '--pages', pages, '--dir', work]).ended;
  assert.is(foreign.code, 1);
  assert.match(foreign.stderr, /was not created by a demo/);
  assert.is(await readFile(join(work, 'thesis.txt'), 'utf8'), 'mine');

  const busy = join(root, 'busy');
  const demo = startDemo(['--pages', pages, '--dir', busy]);
  await demo.printed('Pressing the button');
  const second = await startDemo(['--once', '--pages', pages, '--dir', busy]).ended;
  assert.is(second.code, 1);
  assert.match(second.stderr, new RegExp(`Another demo is running in .*process ${demo.pid}`));
  demo.signal('SIGINT');
  await demo.ended;
});

failing('says what it does not understand, and how it is used', async () => {
  const { code, stderr } = await startDemo(['--onze']).ended;
  assert.is(code, 1);
  assert.match(stderr, /Unknown option '--onze'[^]*Usage: npm run demo/);
  assert.match((await startDemo(['--help']).ended).stdout, /^Usage: npm run demo/);
});

failing('names what it cannot scan', async (folders) => {
  const { root, work } = folders;
  const nowhere = join(root, 'nowhere');
  const missing = await startDemo(['--pages', nowhere, '--dir', work]).ended;
  assert.match(missing.stderr, /Cannot read the directory .*nowhere/);
  await mkdir(nowhere);
  const empty = await startDemo(['--pages', nowhere, '--dir', work]).ended;
  assert.match(empty.stderr, /There is no PNG, JPEG or TIFF image in/);
  await writeFile(join(nowhere, '1.jpg'), 'no image');
  const unreadable = await startDemo(['--pages', nowhere, '--dir', work]).ended;
  assert.match(unreadable.stderr, /1\.jpg is not a readable image/);
  const profile = await startDemo(['--profile', 'nosuch', '--dir', work]).ended;
  assert.match(
    profile.stderr,
    /There is no profile "nosuch"\. Choose one of default, demo, duplex, flatbed, receipts\./,
  );
});
