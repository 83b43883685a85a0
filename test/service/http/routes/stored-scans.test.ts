import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { NewScanEvent } from '../../../../service/archive/scan-event.ts';
import { refused } from '../../../../service/paperless/destination.ts';
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
  uploadBegun,
  uploadEnded,
} from '../../../support/stored-scan.ts';
import { withFixture } from '../../../support/with-fixture.ts';
import { listOf, startStoredScansBench, type List } from './stored-scans-bench.ts';

const test = withFixture(suite('readings of the scan directories'), startStoredScansBench);

const idOf = (number: number): string => `20261121T06300${number}Z-8f3a1c`;

const idsOf = (list: List): string[] => list.scans.map(({ scan_id }) => scan_id);

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

test.run();
