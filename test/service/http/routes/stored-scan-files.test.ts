import { readdirSync, readlinkSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { STORED_ID } from '../../../support/stored-scan.ts';
import { withFixture } from '../../../support/with-fixture.ts';
import { within } from '../../../support/within.ts';
import { startStoredScansBench } from './stored-scans-bench.ts';

const test = withFixture(suite('files of a scan'), startStoredScansBench);

const FILE = `/scans/${STORED_ID}/files/page-0001.tif`;

test('a page is served byte for byte, with its length and type', async ({ root, app }) => {
  const content = Array.from({ length: 200_000 }, (_, index) => 'abc'[index % 3]).join('');
  await writeFile(path.join(root, STORED_ID, 'page-0001.tif'), content);
  const { status, headers, text } = await app.send({ path: FILE });
  assert.is(status, 200);
  assert.is(text, content);
  assert.is(headers['content-length'], '200000');
  assert.is(headers['content-type'], 'image/tiff');
  assert.is(headers['content-disposition'], `inline; filename="${STORED_ID}-page-0001.tif"`);
  assert.is(headers['x-content-type-options'], 'nosniff');
});

test('HEAD tells the length, and leaves no file open', async ({ root, app, get }) => {
  for (let times = 0; times < 50; times += 1) {
    const { status, headers, text } = await app.send({ method: 'HEAD', path: FILE });
    assert.is(status, 200);
    assert.ok(Number(headers['content-length']) > 0);
    assert.is(text, '');
  }
  for (let times = 0; times < 20; times += 1) await get(FILE);
  // A file is closed after its last byte was sent, and nobody is told of that.
  const closed = async (): Promise<void> => {
    while (openFilesBelow(root).length > 0) await new Promise((resolve) => setImmediate(resolve));
  };
  await within(60_000, closed(), 'the end of the open files');
});

/** Files of a directory that this process, the server, has open. */
function openFilesBelow(directory: string): string[] {
  return readdirSync('/proc/self/fd')
    .map((number) => {
      try {
        return readlinkSync(`/proc/self/fd/${number}`);
      } catch {
        return '';
      }
    })
    .filter((file) => file.startsWith(directory));
}

/** Names that lead elsewhere, or to what is no page and no document. */
const ELSEWHERE = [
  'scan.json',
  'scan.json.0123456789ab.tmp',
  'events.jsonl',
  'recognized',
  'recognized/page-0001.pdf',
  'recognized%2Fpage-0001.pdf',
  '.idempotency',
  '.',
  '..',
  '../scan.json',
  '../../etc/passwd',
  '..%2fscan.json',
  '..%2F..%2F..%2F..%2Fetc%2Fpasswd',
  '%2e%2e',
  '%2e%2e%2f%2e%2e%2fetc%2fpasswd',
  '%2e%2e/%2e%2e/etc/passwd',
  '..%5c..%5cetc%5cpasswd',
  '..\\scan.json',
  '%252e%252e%252fetc%252fpasswd',
  '..%c0%af..%c0%afetc/passwd',
  '..%ef%bc%8fetc%ef%bc%8fpasswd',
  '%2fetc%2fpasswd',
  '//etc/passwd',
  'page-0001.tif%00',
  'page-0001.tif%00.pdf',
  '%00',
  'page-0001.tif%0a',
  'page-0001.tif%20',
  'page-0001.tif/',
  'page-0001.tif%2f..%2fscan.json',
  'page-0001.tif;.pdf',
  'page-0001.tif.part',
  'page-0001.TIF',
  'page-%EF%BC%90001.tif',
  'page-0001%E2%80%AE.tif',
  'page-0001.t%C4%B1f',
  'document-0001.pdf%00.tif',
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  '%',
  '%zz',
  '%ff',
  'file:%2f%2f%2fetc%2fpasswd',
  `page-${'0'.repeat(4000)}1.tif`,
];

for (const name of ELSEWHERE) {
  test(`the name ${name.slice(0, 60)} is no file of a scan`, async ({ root, get }) => {
    await mkdir(path.join(root, STORED_ID, 'recognized'));
    await writeFile(path.join(root, STORED_ID, 'recognized', 'page-0001.pdf'), 'x');
    await writeFile(path.join(root, STORED_ID, 'scan.json.0123456789ab.tmp'), 'x');
    const answer = await get(`/scans/${STORED_ID}/files/${name}`);
    assert.ok([400, 404].includes(answer.status), `${answer.status} ${answer.text}`);
    assert.not.match(answer.text, 'root:');
    assert.not.match(answer.text, '"settings"');
    assert.is((await get('/health')).status, 200);
  });
}

test.run();
