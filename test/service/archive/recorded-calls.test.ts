import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { callIdentity, createRecordedCalls } from '../../../service/archive/recorded-calls.ts';
import type { CallIdentity } from '../../../service/archive/scan-event.ts';
import { idsIn } from '../../../service/archive/scan-directory.ts';
import { createScanId } from '../../../service/archive/scan-id.ts';
import { begun, resumed, storeScan } from '../../support/stored-scan.ts';
import { assert, failure, withFixture } from '../../support/suite.ts';

const test = withFixture('what an Idempotency-Key was used for', async (directory) => {
  // The output directories of two profiles.
  const [root, other] = [path.join(directory, 'scans'), path.join(directory, 'others')];
  for (const each of [root, other]) await mkdir(each);
  return {
    root,
    other,
    /** What a service knows that began just now. */
    calls: (ids = idsIn) =>
      createRecordedCalls({ roots: () => [root, other], ids, inTime: () => (read) => read() }),
  };
});

const KEY = callIdentity('k', {});
const HOUR_MS = 60 * 60 * 1000;

/** Stores a scan that a call with this key began so long ago; resolves with its id. */
async function storeCall(root: string, hoursAgo: number, identity = KEY): Promise<string> {
  const began = new Date(Date.now() - hoursAgo * HOUR_MS);
  const id = createScanId(began);
  const first = begun({}, { scan_id: id, call: { ...identity, last_page: 0 } });
  await storeScan(root, [first], id, began.getTime());
  return id;
}

test('is the scan that the call began, in any profile', async ({ root, other, calls }) => {
  const id = await storeCall(root, 1);
  assert.is((await calls().recall(KEY, { root }))?.scanId, id);
  assert.is((await calls().recall(KEY, { root: other }))?.scanId, id);
});

test('is the last one, whichever output directory is read last', async ({ root, other, calls }) => {
  await storeCall(other, 2);
  const last = await storeCall(root, 1);
  let isAway = true;
  const { recall } = calls(async (directory) => {
    if (directory === other && isAway) throw Object.assign(new Error('EIO'), { code: 'EIO' });
    return idsIn(directory);
  });
  for (isAway of [true, false]) assert.is((await recall(KEY, { root }))?.scanId, last);
});

for (const [what, hoursAgo, isKnown] of [
  ['a little less than a day ago', 23.9, true],
  ['a little more than a day ago', 24.1, false],
  ['before a restart that set the clock back', -48, true],
] as const) {
  test(`that was used ${what} is ${isKnown ? 'known' : 'free again'}`, async ({ root, calls }) => {
    const id = await storeCall(root, hoursAgo);
    assert.is((await calls().recall(KEY, { root }))?.scanId, isKnown ? id : undefined);
  });
}

test('is known when paper was added with it, however old the scan is', async ({ root, calls }) => {
  const id = createScanId(new Date(Date.now() - 100 * HOUR_MS));
  const added = resumed({ stage: 'scan', call: { ...KEY, last_page: 3 } });
  await storeScan(root, [begun({}, { scan_id: id }), added], id, Date.now() - HOUR_MS);
  const call = await calls().recall(KEY, { root, scanId: id });
  assert.equal([call?.scanId, call?.last_page], [id, 3]);
});

test('is free where its scan is damaged; others are not', async ({ root, calls }) => {
  const [gone, damaged, whole] = ['gone', 'damaged', 'whole'].map((key) => callIdentity(key, {}));
  if (!gone || !damaged || !whole) throw new Error('three were made');
  await rm(path.join(root, await storeCall(root, 3, gone)), { recursive: true });
  const file = path.join(root, await storeCall(root, 2, damaged), 'events.jsonl');
  await writeFile(file, '{"type":"begun","call":{"key":"../../etc"}}\n{"call":\n');
  const id = await storeCall(root, 1, whole);
  const { recall } = calls();
  const found = [gone, damaged, whole].map((one: CallIdentity) => recall(one, { root }));
  assert.equal(
    (await Promise.all(found)).map((call) => call?.scanId),
    [undefined, undefined, id],
  );
});

test('that a disk does not give is an error', async ({ root, other, calls }) => {
  const id = await storeCall(other, 1);
  const { recall } = calls(async (directory) => {
    if (directory === root) throw Object.assign(new Error('EIO'), { code: 'EIO' });
    return idsIn(directory);
  });
  await failure('insufficient_storage', recall(KEY, { root }));
  assert.is((await recall(KEY, { root: other }))?.scanId, id);
});

test('requests are the same whatever the order of fields, on any level', () => {
  const one = { profile: 'a', metadata: { title: 'b', custom_fields: { 1: 1, 2: 2 } } };
  const two = { metadata: { custom_fields: { 2: 2, 1: 1 }, title: 'b' }, profile: 'a' };
  assert.equal(callIdentity('k', one), callIdentity('k', two));
});

test('requests that differ in anything else are not', () => {
  const requests = [
    {},
    { metadata: {} },
    { profile: 'a' },
    { profile: 'b' },
    { continue_scan: 'a' },
    { metadata: { tags: [1, 2] } },
    { metadata: { tags: [2, 1] } },
    { metadata: { tags: [12] } },
    { metadata: { title: '1' } },
    { metadata: { title: 1 } },
    { metadata: { custom_fields: { 1: null } } },
    { metadata: { custom_fields: { 1: 'null' } } },
    JSON.parse('{"__proto__":{"a":1}}') as object,
  ];
  const asked = requests.map((request) => callIdentity('k', request).asked);
  assert.is(new Set(asked).size, requests.length);
});
