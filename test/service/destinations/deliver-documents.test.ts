import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  deliverDocuments,
  type DocumentsDelivery,
  type FinishedDelivery,
} from '../../../service/destinations/deliver-documents.ts';
import { withFixture } from '../../support/with-fixture.ts';
import { createBench, errorOf, SENTINEL, SHORT_TIMEOUTS_MS, type Bench } from './delivery-bench.ts';

interface Benches {
  readonly first: Bench;
  readonly second: Bench;
  readonly close: () => Promise<void>;
}

async function createBenches(): Promise<Benches> {
  const [first, second] = [await createBench(), await createBench()];
  const close = async (): Promise<void> => {
    await first.close();
    await second.close();
  };
  return { first, second, close };
}

const test = withFixture(suite('deliver documents'), createBenches);

async function deliveryOf(count: number, { first, second }: Benches): Promise<DocumentsDelivery> {
  const names = Array.from({ length: count }, (_, index) => `document-${index + 1}.pdf`);
  const documents = await Promise.all(names.map((name) => first.document(name)));
  return {
    documents: documents.map((document) => ({ document, metadata: {} })),
    destinations: [first.destination(), second.destination()],
    readSecret: async () => SENTINEL,
    signal: new AbortController().signal,
    log: first.captured.log,
    timeouts: SHORT_TIMEOUTS_MS,
  };
}

test('10 documents for 2 destinations are 20 uploads, one at a time, document by document', async (benches) => {
  const all = await deliveryOf(10, benches);
  const deliveries = await deliverDocuments(all);
  assert.equal(
    deliveries.map((list) => list.map(({ outcome }) => outcome)),
    Array.from({ length: 10 }, () => ['accepted', 'accepted']),
  );
  const uploads = [
    ...benches.first.dms.uploads().map((upload) => ({ ...upload, at: 1 })),
    ...benches.second.dms.uploads().map((upload) => ({ ...upload, at: 2 })),
  ].toSorted((one, other) => one.started_ms - other.started_ms);
  assert.equal(
    uploads.map(({ filename, at }) => `${filename} → ${at}`),
    all.documents.flatMap(({ document }) => [1, 2].map((at) => `${document.filename} → ${at}`)),
  );
  for (const [index, upload] of uploads.entries()) {
    const previous = uploads[index - 1]?.ended_ms ?? 0;
    assert.ok(upload.started_ms >= previous, `upload ${index} overlaps the one before`);
  }
});

test('a destination that is down fails for each document, the other one gets all', async (benches) => {
  const all = await deliveryOf(10, benches);
  await benches.first.dms.close();
  const entries = (await deliverDocuments(all)).flat().map(({ entry }) => entry.status);
  assert.equal(entries, Array.from({ length: 10 }, () => ['failed', 'submitted']).flat());
  await benches.second.dms.idle();
  assert.is(benches.second.dms.documents().length, 10);
});

test('a destination that fails last does not undo the first', async (benches) => {
  const all = await deliveryOf(2, benches);
  benches.second.dms.setFault({ kind: 'answer', status: 500 });
  const outcomes = (await deliverDocuments(all)).map((list) => list.map(({ outcome }) => outcome));
  assert.equal(outcomes, [
    ['accepted', 'unknown'],
    ['accepted', 'unknown'],
  ]);
});

test('each finished upload is told before the next begins', async (benches) => {
  const all = await deliveryOf(2, benches);
  const { dms } = benches.first;
  const told: (readonly [number, number, number])[] = [];
  const onEntry = async (finished: FinishedDelivery): Promise<void> => {
    await new Promise(setImmediate);
    const { documentIndex, destinationIndex } = finished;
    const uploads = dms.uploads().length + benches.second.dms.uploads().length;
    told.push([documentIndex, destinationIndex, uploads]);
  };
  await deliverDocuments({ ...all, onEntry });
  assert.equal(told, [
    [0, 0, 1],
    [0, 1, 2],
    [1, 0, 3],
    [1, 1, 4],
  ]);
});

test('a failure to note an upload ends the delivery and is passed on', async (benches) => {
  const all = await deliveryOf(3, benches);
  const onEntry = (): void => {
    throw new Error('disk full');
  };
  try {
    await deliverDocuments({ ...all, onEntry });
    assert.unreachable();
  } catch (error) {
    assert.is(error instanceof Error ? error.message : '', 'disk full');
  }
  assert.is(benches.first.dms.uploads().length + benches.second.dms.uploads().length, 1);
});

test('when the deadline passes, what is finished is given and nothing more is begun', async (benches) => {
  const all = await deliveryOf(3, benches);
  const deadline = new AbortController();
  benches.second.dms.setFault({ kind: 'hang', when: 'after_body' });
  benches.second.dms.events.once('body_received', () => deadline.abort());
  const deliveries = await deliverDocuments({ ...all, signal: deadline.signal });
  assert.equal(
    deliveries.map((list) => list.map(({ outcome }) => outcome)),
    [['accepted', 'unknown'], [], []],
  );
  const [, unfinished] = deliveries[0] ?? [];
  assert.match(unfinished === undefined ? '' : errorOf(unfinished), /^the deadline passed/);
  assert.is(benches.first.dms.uploads().length, 1);
});

test('a profile without destinations, or a scan without documents, has nothing to deliver', async (benches) => {
  const all = await deliveryOf(2, benches);
  assert.equal(await deliverDocuments({ ...all, destinations: [] }), [[], []]);
  assert.equal(await deliverDocuments({ ...all, documents: [] }), []);
});

test('each document has its own metadata', async (benches) => {
  const all = await deliveryOf(2, benches);
  const documents = all.documents.map(({ document }, index) => ({
    document,
    metadata: { title: `part ${index + 1}` },
  }));
  await deliverDocuments({ ...all, documents });
  await benches.first.dms.idle();
  assert.equal(
    benches.first.dms.documents().map(({ title }) => title),
    ['part 1', 'part 2'],
  );
});

test.run();
