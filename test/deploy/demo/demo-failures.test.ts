import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createSampleDms } from '../../../simulators/sample-dms/sample-dms.ts';
import { createFolders, startDemo } from './run-demo.ts';
import { withFixture } from '../../support/with-fixture.ts';

const test = withFixture(suite('demo failures'), createFolders);

test('says before it feeds paper why a real system would not take the documents', async (folders) => {
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
});

test('says why a scan failed, with the end of the log concerned', async (folders) => {
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

test('says that a port is taken', async (folders) => {
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

test('uses no directory but that of an ended demo', async (folders) => {
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

test('says what it does not understand, and how it is used', async () => {
  const { code, stderr } = await startDemo(['--onze']).ended;
  assert.is(code, 1);
  assert.match(stderr, /Unknown option '--onze'[^]*Usage: npm run demo/);
  assert.match((await startDemo(['--help']).ended).stdout, /^Usage: npm run demo/);
});

test('names what it cannot scan', async (folders) => {
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

test.run();
