import { appendFile, mkdir, rename, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { NewScanEvent } from '../../../../service/archive/scan-event.ts';
import { accepted, refused } from '../../../../service/paperless/destination.ts';
import { makePipe } from '../../../support/make-pipe.ts';
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
  timed,
  uploadBegun,
  uploadEnded,
} from '../../../support/stored-scan.ts';
import { withFixture } from '../../../support/with-fixture.ts';
import {
  listOf,
  startStoredScansBench,
  type List,
  type StoredScansBench,
} from './stored-scans-bench.ts';

const test = withFixture(suite('readings of the scan directories'), startStoredScansBench);

const idOf = (number: number): string => `20261121T06300${number}Z-8f3a1c`;

async function storeEmpty(root: string, number: number): Promise<void> {
  await storeScan(root, [begun({}, { scan_id: idOf(number) }), ended()], idOf(number));
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

test('GET /scans finds scans by their titles, and leaves out those that fed nothing, page by page', async ({
  root,
  get,
}) => {
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
  assert.is((await get('/scans?fed=perhaps')).status, 400);
});

test('a scan whose events cannot be read is shown as such, in the list and alone', async ({
  root,
  get,
}) => {
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
    const one = await get(`/scans/${idOf(number)}`);
    assert.is(one.status, 500);
    assert.is(one.json?.['error'], 'scan_record_unreadable');
  }
});

test('a list of 100 large scans reads the last event of each, and lets other calls through', async ({
  root,
  get,
}) => {
  for (let index = 0; index < 100; index += 1) {
    const directory = path.join(root, `20261123T000${100 + index}Z-000000`);
    await mkdir(directory);
    const file = path.join(directory, 'events.jsonl');
    // Larger than what is ever read whole, and no event in it but the last.
    await truncateNew(file, 100_000_000);
    const last = timed([ended({ page_count: 1000, document_count: 1000 })])[0];
    await appendFile(file, `\n${JSON.stringify(last)}\n`);
  }
  const [answer, ...others] = await Promise.all(
    ['/scans?limit=100', '/health', '/scans?limit=1', '/health'].map(get),
  );
  assert.ok(answer);
  const { scans } = listOf(answer);
  assert.is(scans.length, 100);
  assert.ok(scans.every(({ state }) => state === 'failed'));
  assert.ok(others.every(({ status }) => status === 200));
});

async function truncateNew(file: string, bytes: number): Promise<void> {
  await writeFile(file, '');
  await truncate(file, bytes);
}

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

const SECRET_PLACES = {
  destinations: [dms('http://hidden.example', { token_secret: 'hidden_token' })],
};

/** A scan of that profile whose only document was delivered as far as the events say. */
const delivering = (...events: NewScanEvent[]): NewScanEvent[] => [
  begun(SECRET_PLACES, { request: { title: 'Tea' } }),
  page(1),
  fed(),
  planned([1]),
  assembled(),
  ...events,
];

test('GET /scans/{id} shows the scan, and nothing of its profile or its place', async ({
  root,
  get,
}) => {
  const end = { error: { error: 'scanner_jammed', message: 'Paper is stuck.' } } as const;
  await storeScan(root, delivering(uploadBegun(), uploadEnded(refused('no')), ended(end)));
  const answer = await get(`/scans/${STORED_ID}`);
  assert.is(answer.status, 200);
  assert.is(answer.json?.['state'], 'failed');
  assert.equal(answer.json?.['request'], { title: 'Tea' });
  assert.equal(answer.json?.['error'], end.error);
  const list = await get('/scans');
  for (const hidden of ['settings', 'hidden', 'token', 'base_url', 'output_dir', 'slots', root]) {
    assert.not.match(answer.text, hidden);
    assert.not.match(list.text, hidden);
  }
});

/** What is shown of the only upload of a scan. */
async function uploadOf(get: StoredScansBench['get']): Promise<object> {
  const { json, text } = await get(`/scans/${STORED_ID}`);
  const documents = (json?.['documents'] ?? []) as { destinations: object[]; outcomes: string[] }[];
  const [document] = documents;
  assert.ok(document, text);
  const { destinations, outcomes } = document;
  return {
    state: json?.['state'],
    destinations,
    outcomes,
    doubts: text.includes('resend_unknown'),
  };
}

test('an upload under way is not shown as one that was cut off', async ({ root, archive, get }) => {
  await storeScan(root, delivering());
  const scan = await archive.open(STORED_ID);
  const open = { state: 'delivering', doubts: false };
  await scan.append(uploadBegun());
  assert.equal(await uploadOf(get), { ...open, destinations: [], outcomes: [] });
  const no = refused('no');
  await scan.append(uploadEnded(no), uploadBegun());
  assert.equal(await uploadOf(get), { ...open, destinations: [no.entry], outcomes: ['refused'] });
  const yes = accepted('t');
  await scan.append(uploadEnded(yes));
  assert.equal(await uploadOf(get), { ...open, destinations: [yes.entry], outcomes: ['accepted'] });
  await scan.close();
});

test('an upload that was cut off is unknown once nobody works on the scan, with what to do', async ({
  root,
  get,
}) => {
  await storeScan(root, delivering(uploadBegun()));
  const shown = JSON.stringify(await uploadOf(get));
  assert.match(shown, /"state":"interrupted".*cut off.*\["unknown"\],"doubts":true/);
});

test('a scan that somebody works on is in its state, and one that nobody is at is interrupted', async ({
  root,
  archive,
  get,
}) => {
  await storeScan(root, delivering());
  const states = async (): Promise<unknown[]> => [
    (await get(`/scans/${STORED_ID}`)).json?.['state'],
    listOf(await get('/scans')).scans[0]?.state,
  ];
  assert.equal(await states(), ['interrupted', 'interrupted']);
  const scan = await archive.open(STORED_ID);
  assert.equal(await states(), ['delivering', 'delivering']);
  await scan.append(ended({ state: 'finished', error: null }));
  assert.equal(await states(), ['finished', 'finished']);
  await scan.close();
  assert.equal(await states(), ['finished', 'finished']);
});

test.run();
