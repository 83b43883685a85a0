import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createSampleDms } from '../../../simulators/sample-dms/sample-dms.ts';
import type { WatchedProgram } from '../../support/programs.ts';
import { serve } from '../../support/serve.ts';
import { assert, withFixture, within } from '../../support/suite.ts';
import { WORD, createFolders, processesIn, startDemo } from './run-demo.ts';

/** What Ctrl-C may take on a machine however busy. */
const STOP_WITHIN_MS = 30_000;

const test = withFixture('demo', createFolders);

test('scans the paper, shows the searchable text and where it was filed, and ends', async (folders) => {
  await folders.addPage('2.jpg');
  const { code, stdout, stderr } = await startDemo(folders, ['--once']).ended();
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
  const demo = startDemo(folders, []);
  const stdout = await demo.printed('Press Ctrl-C to stop everything.');
  const [, url = ''] = /scan service {5}(\S+)/.exec(stdout) ?? [];
  const again = await fetch(`${url}/scan`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"profile":"demo"}',
  });
  assert.is(again.status, 200, await again.text());
  demo.child.kill('SIGINT');
  const { code, stderr } = await within(STOP_WITHIN_MS, demo.ended(), 'the end');
  assert.is(code, 0, stderr);
});

test('ends within seconds in the middle of a scan too', async (folders) => {
  for (const name of ['2.jpg', '3.jpg']) await folders.addPage(name);
  const demo = startDemo(folders, ['--once', '--ppm', '20']);
  await demo.printed('sheet 1 is fed');
  demo.child.kill('SIGINT');
  const { code } = await within(STOP_WITHIN_MS, demo.ended(), 'the end');
  assert.is(code, 130);
});

test('leaves no process behind when it is killed', async (folders) => {
  // Its socket stays, as whatever a killed process has made.
  const demo = startDemo(folders, [], { TMPDIR: folders.root });
  await demo.printed('sheet 1 is fed');
  demo.child.kill('SIGKILL');
  await demo.ended();
  const deadline = Date.now() + STOP_WITHIN_MS;
  while ((await processesIn(folders.root)).length > 0 && Date.now() < deadline);
  assert.equal(await processesIn(folders.root), []);
});

const withDms = withFixture('demo with a real system', async (root) => {
  const folders = await createFolders(root);
  const dms = await createSampleDms({ tokens: ['a-token'], storeDir: join(root, 'dms') });
  /** Ends once it has delivered to that system. */
  const deliver = (token: string): ReturnType<WatchedProgram['ended']> =>
    startDemo(folders, ['--once', '--dms', dms.url], { DMS_API_TOKEN: token }).ended();
  return { dms, deliver, close: () => Promise.all([dms.close(), folders.close()]) };
});

withDms('delivers, with the token from the environment', async ({ dms, deliver }) => {
  const { code, stdout, stderr } = await deliver('a-token');
  assert.is(code, 0, stdout + stderr);
  await dms.idle();
  assert.is(dms.documents().length, 1);
  assert.match(stdout, new RegExp(`task ${dms.tasks()[0]?.task_id ?? ''}, see ${dms.url}`));
  assert.not.match(stdout, /a-token/);
});

withDms('says why the system would refuse before it feeds paper', async ({ deliver }) => {
  const { code, stdout, stderr } = await deliver('another');
  assert.is(code, 1);
  assert.match(stderr, /Paperless-ngx refused the token/);
  assert.not.match(stdout, /Pressing the button/);
});

const failing = withFixture('demo failures', createFolders);

failing('says why a scan failed, with the end of the log concerned', async (folders) => {
  // The jam is there before the last sheet has passed, however late this process is.
  for (const name of ['2.jpg', '3.jpg', '4.jpg']) await folders.addPage(name);
  const demo = startDemo(folders, ['--once', '--ppm', '12']);
  const stdout = await demo.printed('logs');
  const [, scanner = ''] = /virtual scanner {2}(\S+)/.exec(stdout) ?? [];
  const jam = { method: 'POST', body: '{"kind":"jam"}' };
  assert.is((await fetch(new URL('/control/fault', scanner), jam)).status, 200);
  const { code, stderr } = await demo.ended();
  assert.is(code, 1);
  assert.match(stderr, /POST \/scan answered 502:[^]*"error": "scanner_jammed"/);
  assert.match(stderr, /The end of .*scanner-runtime\.log:\n\{/);
});

failing('says that a port is taken', async (folders) => {
  const { port, close } = await serve(() => {});
  const { code, stderr } = await startDemo(folders, ['--once', '--port', String(port)]).ended();
  await close();
  assert.is(code, 1);
  assert.match(stderr, new RegExp(`Port ${port} is in use`));
});

failing('uses no directory but that of an ended demo', async (folders) => {
  const { root, work } = folders;
  await mkdir(work);
  await writeFile(join(work, 'thesis.txt'), 'mine');
  const foreign = await startDemo(folders, ['--once']).ended();
  assert.is(foreign.code, 1);
  assert.match(foreign.stderr, /was not created by a demo/);
  assert.is(await readFile(join(work, 'thesis.txt'), 'utf8'), 'mine');

  const busy = { ...folders, work: join(root, 'busy') };
  const demo = startDemo(busy, []);
  await demo.printed('Pressing the button');
  const second = await startDemo(busy, ['--once']).ended();
  assert.is(second.code, 1);
  assert.match(second.stderr, new RegExp(`Another demo is running in .*process ${demo.child.pid}`));
  demo.child.kill('SIGINT');
  await demo.ended();
});

failing('says what it does not understand, and how it is used', async (folders) => {
  const { code, stderr } = await startDemo(folders, ['--onze']).ended();
  assert.is(code, 1);
  assert.match(stderr, /Unknown option '--onze'[^]*Usage: npm run demo/);
  assert.match((await startDemo(folders, ['--help']).ended()).stdout, /^Usage: npm run demo/);
});

failing('names what it cannot scan', async (folders) => {
  const pages = join(folders.root, 'nowhere');
  const refusal = async (...args: readonly string[]): Promise<string> =>
    (await startDemo({ ...folders, pages }, args).ended()).stderr;
  assert.match(await refusal(), /Cannot read the directory .*nowhere/);
  await mkdir(pages);
  assert.match(await refusal(), /There is no PNG, JPEG or TIFF image in/);
  await writeFile(join(pages, '1.jpg'), 'no image');
  assert.match(await refusal(), /1\.jpg is not a readable image/);
  const { stderr } = await startDemo(folders, ['--profile', 'nosuch']).ended();
  assert.match(
    stderr,
    /There is no profile "nosuch"\. Choose one of default, demo, duplex, flatbed, receipts\./,
  );
});
