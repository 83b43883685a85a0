import { setTimeout as wait } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  deliverDocuments,
  type DeliveryPlace,
  type DeliveryStep,
  type DocumentsDelivery,
} from '../../../service/destinations/deliver-documents.ts';
import { rejection } from '../../support/rejection.ts';
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

/** A step in short: `0.1 accepted, then 1.0`. */
const stepText = ({ finished, begins }: DeliveryStep): string => {
  const placeText = (place: DeliveryPlace): string =>
    `${place.documentIndex}.${place.destinationIndex}`;
  const ended = finished && `${placeText(finished)} ${finished.delivery.outcome}`;
  return [ended, begins && `then ${placeText(begins)}`].filter((part) => part).join(', ');
};

test('what an upload came to is told together with the one that begins, and nothing is sent before that is noted', async (benches) => {
  const all = await deliveryOf(2, benches);
  const sent = (): number =>
    benches.first.dms.uploads().length + benches.second.dms.uploads().length;
  const told: [string, number][] = [];
  const onStep = async (step: DeliveryStep): Promise<void> => {
    // Long enough for an upload that did not wait.
    await wait(30);
    told.push([stepText(step), sent()]);
  };
  await deliverDocuments({ ...all, onStep });
  assert.equal(told, [
    ['then 0.0', 0],
    ['0.0 accepted, then 0.1', 1],
    ['0.1 accepted, then 1.0', 2],
    ['1.0 accepted, then 1.1', 3],
    ['1.1 accepted', 4],
  ]);
});

test('what is not wanted is in no step', async (benches) => {
  const all = await deliveryOf(3, benches);
  const told: string[] = [];
  await deliverDocuments({
    ...all,
    isWanted: ({ documentIndex, destinationIndex }) => documentIndex !== destinationIndex,
    onStep: (step) => void told.push(stepText(step)),
  });
  assert.equal(told, [
    'then 0.1',
    '0.1 accepted, then 1.0',
    '1.0 accepted, then 2.0',
    '2.0 accepted, then 2.1',
    '2.1 accepted',
  ]);
});

test('where nothing is wanted there is no step', async (benches) => {
  const all = await deliveryOf(2, benches);
  const onStep = (): void => assert.unreachable();
  await deliverDocuments({ ...all, isWanted: () => false, onStep });
});

test('a step that cannot be noted ends the delivery, and nothing more is sent', async (benches) => {
  const all = await deliveryOf(3, benches);
  const onStep = ({ finished }: DeliveryStep): void => {
    if (finished) throw new Error('disk full');
  };
  assert.match(String(await rejection(deliverDocuments({ ...all, onStep }))), /disk full/);
  assert.is(benches.first.dms.uploads().length + benches.second.dms.uploads().length, 1);
});

test('the last upload before the deadline is told, with none that begins', async (benches) => {
  const all = await deliveryOf(2, benches);
  const deadline = new AbortController();
  const told: string[] = [];
  const onStep = (step: DeliveryStep): void => {
    told.push(stepText(step));
    if (told.length === 2) benches.second.dms.events.once('body_received', () => deadline.abort());
  };
  benches.second.dms.setFault({ kind: 'hang', when: 'after_body' });
  await deliverDocuments({ ...all, onStep, signal: deadline.signal });
  assert.equal(told, ['then 0.0', '0.0 accepted, then 0.1', '0.1 unknown']);
});

test('a deadline that passes while a step is noted sends nothing, and that is told', async (benches) => {
  const all = await deliveryOf(2, benches);
  const deadline = new AbortController();
  const told: string[] = [];
  const onStep = (step: DeliveryStep): void => {
    told.push(stepText(step));
    if (told.length === 2) deadline.abort();
  };
  await deliverDocuments({ ...all, onStep, signal: deadline.signal });
  assert.equal(told, ['then 0.0', '0.0 accepted, then 0.1', '0.1 refused']);
  assert.is(benches.second.dms.uploads().length, 0);
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
  assert.match(unfinished === undefined ? '' : errorOf(unfinished), /^The deadline passed/);
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
