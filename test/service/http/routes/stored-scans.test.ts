import { mkdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createApp } from '../../../../service/http/app.ts';
import { listen } from '../../../../helpers/http/server.ts';
import { makePipe } from '../../../support/make-pipe.ts';
import { STORED_ID, storedRecord, storeScan } from '../../../support/stored-scan.ts';
import { sendTo, testParts, type TestAnswer } from '../../../support/test-app.ts';
import { withFixture } from '../../../support/with-fixture.ts';
import { listOf, RESULT, startStoredScansBench, type List } from './stored-scans-bench.ts';

const test = withFixture(suite('readings of the scan directories'), startStoredScansBench);

const idOf = (number: number): string => `20261121T06300${number}Z-8f3a1c`;

async function storeEmpty(root: string, number: number): Promise<void> {
  await storeScan(root, storedRecord({ scan_id: idOf(number), pages: [], page_count: 0 }));
}

const idsOf = (list: List): string[] => list.scans.map(({ scan_id }) => scan_id);

test('GET /scans lists newest first, over both roots', async ({ root, other, get }) => {
  await storeEmpty(other, 5);
  await storeEmpty(root, 4);
  const list = listOf(await get('/scans'));
  assert.equal(idsOf(list), [idOf(5), idOf(4), STORED_ID]);
  assert.is(list.next, null);
});

test('GET /scans goes on where the page before ended, to the last one', async ({ root, get }) => {
  for (const number of [1, 2, 3, 4]) await storeEmpty(root, number);
  const pages: string[][] = [];
  let before = '';
  do {
    const list = listOf(await get(`/scans?limit=2${before && `&before=${before}`}`));
    pages.push(idsOf(list));
    before = list.next ?? '';
  } while (before !== '');
  assert.equal(pages, [[idOf(4), idOf(3)], [idOf(2), idOf(1)], [STORED_ID]]);
});

test('GET /scans has 20 on a page unless asked, and none before the oldest', async ({
  root,
  get,
}) => {
  await Promise.all(
    Array.from({ length: 20 }, (_, index) => mkdir(`${root}/20261122T0000${index + 10}Z-000000`)),
  );
  const first = listOf(await get('/scans'));
  assert.is(first.scans.length, 20);
  assert.equal(idsOf(listOf(await get(`/scans?before=${first.next}`))), [STORED_ID]);
  assert.equal(idsOf(listOf(await get(`/scans?before=${STORED_ID}`))), []);
});

const fieldsOf = ({ json }: TestAnswer): { field: string }[] =>
  (json?.['fields'] ?? []) as { field: string }[];

for (const [query, field] of [
  ['limit=0', 'limit'],
  ['limit=101', 'limit'],
  ['limit=-1', 'limit'],
  ['limit=1.5', 'limit'],
  ['limit=x', 'limit'],
  ['limit=', 'limit'],
  ['limit=NaN', 'limit'],
  ['limit=1&limit=2', 'limit'],
  ['limit[]=1', 'limit[]'],
  ['before=x', 'before'],
  ['before=', 'before'],
  ['before=../x', 'before'],
  [`before=${STORED_ID}%00`, 'before'],
  [`before=${STORED_ID}&before=${STORED_ID}`, 'before'],
  ['colour=1', 'colour'],
  ['constructor=1', 'constructor'],
] as const) {
  test(`GET /scans?${query} is refused`, async ({ get }) => {
    const answer = await get(`/scans?${query}`);
    assert.is(answer.status, 400, answer.text);
    assert.is(answer.json?.['error'], 'invalid_parameter');
    assert.is(fieldsOf(answer)[0]?.field, field);
  });
}

test('a record that cannot be read is shown as such, in the list and alone', async ({
  root,
  get,
}) => {
  await mkdir(path.join(root, idOf(1)));
  await writeFile(path.join(root, idOf(1), 'scan.json'), '{"scan_id":');
  await mkdir(path.join(root, idOf(2)));
  await makePipe(path.join(root, idOf(2), 'scan.json'));
  const { scans } = listOf(await get('/scans'));
  assert.equal(
    scans.map(({ state }) => state),
    ['unreadable', 'unreadable', 'failed'],
  );
  for (const number of [1, 2]) {
    const one = await get(`/scans/${idOf(number)}`);
    assert.is(one.status, 500);
    assert.is(one.json?.['error'], 'scan_record_unreadable');
  }
});

test('a root that is gone, or that cannot be read, costs only its own scans', async ({
  root,
  other,
  get,
}) => {
  await writeFile(other, 'no directory');
  assert.equal(idsOf(listOf(await get('/scans'))), [STORED_ID]);
  await rename(root, `${root}.away`);
  assert.equal(listOf(await get('/scans')), { scans: [], next: null });
  assert.is((await get(`/scans/${STORED_ID}`)).status, 404);
});

test('GET /scans/{id} shows the scan, and nothing of its profile', async ({ root, get }) => {
  const destinations = [
    { kind: 'dms', base_url: 'http://hidden.example', token_secret: 'hidden_token' },
  ];
  await storeScan(root, storedRecord({ request: { title: 'Tea' } }, { destinations }));
  const answer = await get(`/scans/${STORED_ID}`);
  assert.is(answer.status, 200);
  assert.is(answer.json?.['state'], 'failed');
  assert.equal(answer.json?.['request'], { title: 'Tea' });
  assert.equal(answer.json?.['error'], { error: 'scanner_jammed', message: 'paper is stuck' });
  for (const hidden of ['settings', 'hidden', 'token', 'base_url', 'output_dir', root]) {
    assert.not.match(answer.text, hidden);
  }
});

test('a scan that nobody is at is interrupted', async ({ root, get }) => {
  await storeScan(root, storedRecord({ state: 'delivering', error: null }));
  assert.is((await get(`/scans/${STORED_ID}`)).json?.['state'], 'interrupted');
  assert.is(listOf(await get('/scans')).scans[0]?.state, 'interrupted');
});

test('a scan that ends while its record is read is never shown as interrupted', async ({
  root,
}) => {
  const parts = await testParts();
  const delivering = storedRecord({ state: 'delivering', error: null });
  const finished = storedRecord({ state: 'finished', error: null });
  let reads = 0;
  const read = async (): Promise<typeof finished> => (reads++ === 0 ? delivering : finished);
  const archive = {
    ...parts.archive,
    find: async () => ({ directory: root, record: await read() }),
    list: async () => ({ scans: [{ id: STORED_ID, record: await read() }], more: false }),
  };
  const handle = createApp({ ...parts, archive }).callback();
  const address = { host: '127.0.0.1', port: 0, log: parts.log };
  const server = await listen((request, response) => void handle(request, response), address);
  const one = await sendTo(server.port, { path: `/scans/${STORED_ID}` });
  reads = 0;
  const list = await sendTo(server.port, { path: '/scans' });
  await server.close();
  assert.is(one.json?.['state'], 'finished');
  assert.is(listOf(list).scans[0]?.state, 'finished');
});

const JSON_TYPE = { 'Content-Type': 'application/json' };

test('resume passes on what is to be sent again, and answers with the result', async ({
  app,
  resumed,
}) => {
  const url = `/scans/${STORED_ID}/resume`;
  for (const body of ['', '{}', '{"redeliver_failed":false}', '{"resend_unknown":true}']) {
    const answer = await app.send({ method: 'POST', path: url, headers: JSON_TYPE, body });
    assert.equal(answer.json, JSON.parse(JSON.stringify(RESULT)), answer.text);
  }
  assert.equal(
    resumed.map(([id, { redeliverFailed, resendUnknown }]) => [id, redeliverFailed, resendUnknown]),
    [
      [STORED_ID, true, false],
      [STORED_ID, true, false],
      [STORED_ID, false, false],
      [STORED_ID, true, true],
    ],
  );
});

for (const body of [
  '{"resend_unknown":"true"}',
  '{"resend_unknown":1}',
  '{"redeliver_failed":null}',
  '{"everything":true}',
  '{"__proto__":{"resend_unknown":true}}',
  '{"constructor":{}}',
  '[]',
  'null',
  'true',
  '{',
]) {
  test(`resume with ${body} is refused, and nothing is sent`, async ({ app, resumed }) => {
    const request = {
      method: 'POST',
      path: `/scans/${STORED_ID}/resume`,
      headers: JSON_TYPE,
      body,
    };
    const answer = await app.send(request);
    assert.is(answer.status, 400, answer.text);
    assert.is(answer.json?.['error'], 'invalid_body');
    assert.equal(resumed, []);
  });
}

test.run();
