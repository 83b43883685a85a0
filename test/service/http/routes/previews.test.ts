import { readdirSync, readlinkSync } from 'node:fs';
import { utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { tiffFile } from '../../../support/fake-scanimage/tiff-file.ts';
import { STORED_ID } from '../../../support/stored-scan.ts';
import { withFixture } from '../../../support/with-fixture.ts';
import { startStoredScansBench } from './stored-scans-bench.ts';

const test = withFixture(suite('GET /scans/{scan_id}/pages/{page}/preview'), startStoredScansBench);

const PAGES = `/scans/${STORED_ID}/pages`;

test('a page is a small PNG, that is not sent again until the page is another', async ({
  root,
  app,
  get,
}) => {
  const first = await get(`${PAGES}/1/preview`);
  assert.is(first.status, 200);
  assert.is(first.headers['content-type'], 'image/png');
  assert.is(first.headers['cache-control'], 'private, no-cache');
  assert.match(first.text, /^.PNG/);
  const known = { 'If-None-Match': String(first.headers.etag) };
  const again = await app.send({ path: `${PAGES}/1/preview`, headers: known });
  assert.is(again.status, 304);
  assert.is(again.text, '');
  const file = path.join(root, STORED_ID, 'page-0001.tif');
  await writeFile(file, tiffFile({ width: 50 }));
  await utimes(file, 1, 1);
  const other = await app.send({ path: `${PAGES}/1/preview`, headers: known });
  assert.is(other.status, 200);
  assert.is.not(other.text, first.text);
  const { status } = await app.send({ method: 'HEAD', path: `${PAGES}/1/preview` });
  assert.is(status, 200);
  const open = readdirSync('/proc/self/fd').map((name) => {
    try {
      return readlinkSync(`/proc/self/fd/${name}`);
    } catch {
      return '';
    }
  });
  assert.not.ok(open.some((target) => target.startsWith(root)));
});

test('there is none of a page that is not there, however it is asked for', async ({ get }) => {
  for (const page of [
    '0',
    '3',
    '01',
    '1.0',
    '-1',
    '1e3',
    '99999',
    '10000000000000000000',
    'x',
    '%2e%2e',
    '1%00',
  ]) {
    const { status, json } = await get(`${PAGES}/${page}/preview`);
    assert.is(status, 404, page);
    assert.is(json?.['error'], 'not_found');
  }
  assert.is((await get('/scans/x/pages/1/preview')).json?.['error'], 'scan_not_found');
});

test('a page that is no picture is refused, with where it can be got', async ({ root, get }) => {
  await writeFile(path.join(root, STORED_ID, 'page-0002.tif'), 'MM');
  const { status, json } = await get(`${PAGES}/2/preview`);
  assert.is(status, 422);
  assert.is(json?.['error'], 'no_preview');
});

test.run();
