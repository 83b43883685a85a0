import { mkdir, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { NewScanEvent } from '../../../../service/archive/scan-event.ts';
import { createScanArchive } from '../../../../service/archive/scan-archive.ts';
import { refused } from '../../../../service/paperless/destination.ts';
import type { Scans } from '../../../../service/scan/call/scans.ts';
import { DEFAULT_REDELIVERY } from '../../../../service/archive/upload-decision.ts';
import { RESULT } from '../../../contract/samples.ts';
import { capturedLog } from '../../../support/captured-log.ts';
import { tiffFile } from '../../../support/fake-scanimage/tiff-file.ts';
import { makePipe } from '../../../support/make-pipe.ts';
import { filesLeftOpen } from '../../../support/processes.ts';
import {
  assembled,
  begun,
  dms,
  ended,
  fed,
  page,
  planned,
  STORED_ID,
  storeScan,
  uploadBegun,
  uploadEnded,
} from '../../../support/stored-scan.ts';
import type { TestAnswer } from '../../../support/send-to.ts';
import { startTestApp } from '../../../support/test-app.ts';
import { testProfile } from '../../../support/test-profile.ts';
import { assert, withFixture, within } from '../../../support/suite.ts';

/** The first root holds one scan; the second does not exist. */
const test = withFixture('reading scan directories by HTTP', async (directory) => {
  const root = path.join(directory, 'scans');
  await storeScan(root);
  const resumed: Parameters<Scans['resume']>[] = [];
  const archive = createScanArchive({
    roots: () => [root, path.join(directory, 'other')],
    listener: () => {},
    log: capturedLog().log,
  });
  const app = await startTestApp({
    archive,
    profiles: [testProfile({ name: 'corrected' })],
    resume: (...call) => {
      resumed.push(call);
      return Promise.resolve(RESULT);
    },
  });
  return {
    root,
    app,
    resumed,
    get: (url: string): Promise<TestAnswer> =>
      within(60_000, app.send({ path: url }), `the answer of ${url.slice(0, 100)}`),
    close: async () => {
      await app.close();
      await archive.close();
    },
  };
});

interface List {
  readonly scans: { readonly scan_id: string; readonly state: string }[];
  readonly next: string | null;
}

function listOf({ status, json, text }: TestAnswer): List {
  assert.is(status, 200, text);
  return json as unknown as List;
}

const idOf = (number: number): string => `20261121T06300${number}Z-8f3a1c`;
const idsOf = (list: List): string[] => list.scans.map(({ scan_id }) => scan_id);

test('GET /scans returns 20 per page, and none before the oldest', async ({ root, get }) => {
  await Promise.all(
    Array.from({ length: 20 }, (_, index) => mkdir(`${root}/20261122T0000${index + 10}Z-000000`)),
  );
  const first = listOf(await get('/scans'));
  assert.is(first.scans.length, 20);
  assert.equal(idsOf(listOf(await get(`/scans?before=${first.next}`))), [STORED_ID]);
  assert.equal(idsOf(listOf(await get(`/scans?before=${STORED_ID}`))), []);
});

test('GET /scans searches titles, and omits scans that fed nothing', async ({ root, get }) => {
  const titles = ['Tea, March', 'Coffee', 'tea, April', null];
  for (const [index, title] of titles.entries()) {
    const id = idOf(index + 1);
    const end = ended({ state: 'finished', error: null, title, page_count: title ? 1 : 0 });
    await storeScan(root, [begun({}, { scan_id: id }), page(1), end], id);
  }
  const tea = listOf(await get('/scans?search=TEA&limit=1'));
  assert.equal(idsOf(tea), [idOf(3)]);
  const rest = listOf(await get(`/scans?search=TEA&limit=1&before=${tea.next}`));
  assert.equal(idsOf(rest), [idOf(1)]);
  const none = listOf(await get(`/scans?search=TEA&limit=1&before=${rest.next}`));
  assert.equal([idsOf(none), none.next], [[], null]);
  assert.equal(idsOf(listOf(await get('/scans?fed=true'))), [idOf(3), idOf(2), idOf(1), STORED_ID]);
});

test('an unreadable scan is reported in the list and by itself', async ({ root, get }) => {
  await mkdir(path.join(root, idOf(1)));
  await writeFile(path.join(root, idOf(1), 'events.jsonl'), '{"type":');
  await mkdir(path.join(root, idOf(2)));
  await makePipe(path.join(root, idOf(2), 'events.jsonl'));
  const { scans } = listOf(await get('/scans'));
  assert.equal(
    scans.map(({ state }) => state),
    ['unreadable', 'unreadable', 'failed'],
  );
  for (const number of [1, 2]) {
    const { status, json } = await get(`/scans/${idOf(number)}`);
    assert.equal([status, json?.['error']], [500, 'scan_record_unreadable']);
  }
});

test('GET /scans/{id} shows the scan without its profile or path', async ({ root, get }) => {
  const places = { destinations: [dms('http://hidden.example', { token_secret: 'hidden_token' })] };
  const end = { error: { error: 'scanner_jammed', message: 'Paper is stuck.' } } as const;
  const delivered: NewScanEvent[] = [uploadBegun(), uploadEnded(refused('no')), ended(end)];
  const begin = begun(places, { request: { title: 'Tea' } });
  await storeScan(root, [begin, page(1), fed(), planned([1]), assembled(), ...delivered]);
  const answer = await get(`/scans/${STORED_ID}`);
  assert.is(answer.status, 200);
  assert.is(answer.json?.['state'], 'failed');
  assert.equal(answer.json?.['request'], { title: 'Tea' });
  assert.equal(answer.json?.['error'], end.error);
  const list = await get('/scans');
  for (const hidden of [
    'scanner_options',
    'hidden',
    'token',
    'base_url',
    'output_dir',
    'slots',
    root,
  ]) {
    assert.not.match(answer.text, hidden);
    assert.not.match(list.text, hidden);
  }
});

test('resume passes on its request with the current profile', async ({ app, resumed }) => {
  const metadata = { title: 'Coffee', tags: [3], correspondent: 2 };
  const asked = JSON.stringify({ ...metadata, profile: 'corrected', resend_unknown: true });
  const url = `/scans/${STORED_ID}/resume`;
  const headers = { 'Content-Type': 'application/json' };
  for (const body of ['', asked]) {
    const answer = await app.send({ method: 'POST', path: url, headers, body });
    assert.is(answer.status, 200, answer.text);
  }
  const [[id, plain] = [], [, changed] = []] = resumed;
  assert.is(id, STORED_ID);
  assert.equal(plain?.redelivery, DEFAULT_REDELIVERY);
  assert.is(plain?.profile, undefined);
  assert.equal(changed?.metadata, metadata);
  assert.is(changed?.profile?.name, 'corrected');
  assert.equal(changed?.redelivery, { ...DEFAULT_REDELIVERY, resend_unknown: true });
});

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

test('HEAD returns the length, and leaves no file open', async ({ root, app, get }) => {
  for (let times = 0; times < 50; times += 1) {
    const { status, headers, text } = await app.send({ method: 'HEAD', path: FILE });
    assert.is(status, 200);
    assert.ok(Number(headers['content-length']) > 0);
    assert.is(text, '');
  }
  for (let times = 0; times < 20; times += 1) await get(FILE);
  assert.equal(await filesLeftOpen(root), []);
});

/**
 * Names that escape the directory, or belong to neither a page nor a document, separated by blanks.
 */
const ELSEWHERE = `
  scan.json scan.json.0123456789ab.tmp events.jsonl recognized recognized/page-0001.pdf recognized%2Fpage-0001.pdf .idempotency
  . .. ../scan.json ../../etc/passwd ..%2fscan.json ..%2F..%2F..%2F..%2Fetc%2Fpasswd %2e%2e %2e%2e%2f%2e%2e%2fetc%2fpasswd
  %2e%2e/%2e%2e/etc/passwd ..%5c..%5cetc%5cpasswd ..\\scan.json %252e%252e%252fetc%252fpasswd ..%c0%af..%c0%afetc/passwd
  ..%ef%bc%8fetc%ef%bc%8fpasswd %2fetc%2fpasswd //etc/passwd page-0001.tif%00 page-0001.tif%00.pdf %00 page-0001.tif%0a
  page-0001.tif%20 page-0001.tif/ page-0001.tif%2f..%2fscan.json page-0001.tif;.pdf page-0001.tif.part page-0001.TIF
  page-%EF%BC%90001.tif page-0001%E2%80%AE.tif page-0001.t%C4%B1f document-0001.pdf%00.tif __proto__ constructor prototype
  toString hasOwnProperty % %zz %ff file:%2f%2f%2fetc%2fpasswd page-${'0'.repeat(4000)}1.tif`
  .trim()
  .split(/\s+/);

test('other names are not files of a scan', async ({ root, get }) => {
  await mkdir(path.join(root, STORED_ID, 'recognized'));
  await writeFile(path.join(root, STORED_ID, 'recognized', 'page-0001.pdf'), 'x');
  await writeFile(path.join(root, STORED_ID, 'scan.json.0123456789ab.tmp'), 'x');
  assert.ok(ELSEWHERE.length > 45);
  for (const name of ELSEWHERE) {
    const { status, text } = await get(`/scans/${STORED_ID}/files/${name}`);
    assert.ok([400, 404].includes(status), `${name.slice(0, 60)}: ${status} ${text}`);
    assert.not.match(text, /root:|"settings"/, name);
  }
  assert.is((await get('/health')).status, 200);
});

const PAGES = `/scans/${STORED_ID}/pages`;

test('the preview of a page is a small PNG, sent once', async ({ root, app, get }) => {
  const first = await get(`${PAGES}/1/preview`);
  assert.is(first.status, 200);
  assert.is(first.headers['content-type'], 'image/png');
  assert.is(first.headers['cache-control'], 'private, no-cache');
  assert.match(first.text, /^.PNG/);
  const known = { 'If-None-Match': String(first.headers.etag) };
  const again = await app.send({ path: `${PAGES}/1/preview`, headers: known });
  assert.equal([again.status, again.text], [304, '']);
  const file = path.join(root, STORED_ID, 'page-0001.tif');
  await writeFile(file, tiffFile({ width: 50 }));
  await utimes(file, 1, 1);
  const other = await app.send({ path: `${PAGES}/1/preview`, headers: known });
  assert.is(other.status, 200);
  assert.is.not(other.text, first.text);
  const { status } = await app.send({ method: 'HEAD', path: `${PAGES}/1/preview` });
  assert.is(status, 200);
  assert.equal(await filesLeftOpen(root), []);
});

test('a preview has one of two sizes', async ({ get }) => {
  for (const query of ['size=null', 'size=small&size=large', 'size=', 'wide=1']) {
    const { status, json } = await get(`${PAGES}/1/preview?${query}`);
    assert.equal([status, json?.['error']], [400, 'invalid_parameter'], query);
  }
});

test('a missing page has no preview', async ({ get }) => {
  const pages = '0 3 01 1.0 -1 1e3 99999 10000000000000000000 x %2e%2e 1%00'.split(' ');
  for (const name of pages) {
    const { status, json } = await get(`${PAGES}/${name}/preview`);
    assert.equal([status, json?.['error']], [404, 'not_found'], name);
  }
  assert.is((await get('/scans/x/pages/1/preview')).json?.['error'], 'scan_not_found');
});
