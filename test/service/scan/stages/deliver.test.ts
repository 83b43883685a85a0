import { readFileSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { EVENT_FILE } from '../../../../service/archive/event-file.ts';
import type { OpenScan } from '../../../../service/archive/open-scan.ts';
import type { NewScanEvent } from '../../../../service/archive/scan-event.ts';
import { QUESTION_TIMEOUTS_MS } from '../../../../service/paperless/ask-dms.ts';
import {
  accepted,
  type Delivery,
  refused,
  unknown,
} from '../../../../service/paperless/destination.ts';
import { createDms } from '../../../../service/paperless/dms.ts';
import { createDeadline } from '../../../../service/scan/deadline.ts';
import type { Scan } from '../../../../service/scan/scan.ts';
import {
  DEFAULT_REDELIVERY,
  deliver,
  isDelivered,
} from '../../../../service/scan/stages/deliver.ts';
import {
  assembled,
  begun,
  page,
  planned,
  STORED_ID,
  storeScan,
} from '../../../support/stored-scan.ts';
import { serve } from '../../../support/serve.ts';
import { assert, rejection, withFixture } from '../../../support/suite.ts';
import { createScanBench, type ScanBench } from '../call/scan-bench.ts';

type Outcome = Delivery['outcome'];

export interface DeliveryBench extends ScanBench {
  /** A scan with a document for each list, delivered in an earlier call with those outcomes. */
  readonly scan: (outcomes: readonly Outcome[][], options?: ScanOptions) => Promise<Scan>;
  /** What a service that begins anew makes of it, a letter for each upload. */
  readonly outcomes: () => Promise<string[]>;
}

interface ScanOptions {
  readonly urls?: readonly string[];
  readonly signal?: AbortSignal;
  readonly request?: object;
}

const DELIVERIES: Readonly<Record<Outcome, Delivery>> = {
  accepted: accepted('earlier'),
  refused: refused('earlier'),
  unknown: unknown('earlier'),
};

/** A scan whose documents are made, and a sample DMS to deliver them to. */
export async function createDeliveryBench(): Promise<DeliveryBench> {
  const bench = await createScanBench();
  const { archive } = await bench.start();
  const opened: OpenScan[] = [];
  return {
    ...bench,
    close: async () => {
      for (const open of opened) await open.close();
      await bench.close();
    },
    scan: async (
      outcomes,
      { urls = [bench.dms.url, bench.dms.url], signal, request = {} } = {},
    ) => {
      const destinations = urls.map((base_url, index) => ({
        kind: 'dms',
        base_url,
        token_secret: `account_${index + 1}`,
      }));
      const { paths } = bench.profile();
      await storeScan(bench.root, [
        begun({ destinations, paths }, { request }),
        ...outcomes.map((_, index) => page(index + 1)),
        planned(...outcomes.map((_, index) => [index + 1])),
        ...outcomes.map((_, index) => assembled(index)),
        ...outcomes.flatMap(deliveredBefore),
      ]);
      const open = await archive.open(STORED_ID);
      opened.push(open);
      const { log } = bench.logged;
      const deadline = createDeadline(20, performance.now());
      const own = signal ? { ...deadline, signal } : deadline;
      const { signal: stop } = new AbortController();
      return { ...open, id: STORED_ID, deadline: own, stop, log };
    },
    outcomes: async () => {
      const { documents } = await bench.stored(STORED_ID);
      return documents.map((document) => letters(document.outcomes));
    },
  };
}

function deliveredBefore(outcomes: readonly Outcome[], document: number): NewScanEvent[] {
  return outcomes.flatMap((outcome, destination) => [
    { type: 'upload_begun', document, destination, title: '' },
    { type: 'upload_ended', document, destination, ...DELIVERIES[outcome] },
  ]);
}

const letters = (outcomes: readonly Outcome[]): string =>
  outcomes.map((outcome) => outcome.slice(0, 1)).join('');

const token = createDms(() => Promise.resolve('token'));

const test = withFixture('delivering a scan', createDeliveryBench);

test('10 documents for 2 destinations: 20 uploads, in order', async ({ dms, scan, outcomes }) => {
  await deliver(await scan(Array.from({ length: 10 }, () => [])), token, DEFAULT_REDELIVERY);
  const uploads = dms.uploads();
  assert.equal(
    uploads.map(({ filename }) => filename),
    Array.from({ length: 20 }, (_, index) => {
      const number = Math.floor(index / 2) + 1;
      return `${STORED_ID}-document-${String(number).padStart(4, '0')}.pdf`;
    }),
  );
  for (const [index, upload] of uploads.entries()) {
    const previous = uploads[index - 1]?.ended_ms ?? 0;
    assert.ok(upload.started_ms >= previous, `upload ${index} overlaps the one before`);
  }
  assert.equal(
    await outcomes(),
    Array.from({ length: 10 }, () => 'aa'),
  );
});

test('sends only what is left, each entry in its place', async ({ dms, scan, outcomes }) => {
  const one = await scan([
    ['accepted', 'unknown'],
    ['refused', 'accepted'],
    ['unknown', 'refused'],
    ['accepted'],
    [],
  ]);
  assert.not.ok(isDelivered(one.record(), DEFAULT_REDELIVERY));
  await deliver(one, token, DEFAULT_REDELIVERY);
  assert.ok(isDelivered(one.record(), DEFAULT_REDELIVERY));
  assert.equal(await outcomes(), ['au', 'aa', 'ua', 'aa', 'aa']);
  assert.equal(
    dms.uploads().map(({ filename }) => filename?.slice(-8, -4)),
    ['0002', '0003', '0004', '0005', '0005'],
  );
});

test('that an upload begins is on disk before it is sent', async ({ root, dms, scan }) => {
  const one = await scan([[], []]);
  const seen: string[] = [];
  dms.events.on('upload_started', () => {
    const events = readFileSync(path.join(root, STORED_ID, EVENT_FILE), 'utf8').trimEnd();
    seen.push(events.split('\n').flatMap(uploadStep).join(', '));
  });
  await deliver(one, token, DEFAULT_REDELIVERY);
  assert.equal(seen, [
    'begun 0.0',
    'begun 0.0, accepted 0.0, begun 0.1',
    'begun 0.0, accepted 0.0, begun 0.1, accepted 0.1, begun 1.0',
    'begun 0.0, accepted 0.0, begun 0.1, accepted 0.1, begun 1.0, accepted 1.0, begun 1.1',
  ]);
});

/** An upload event in short. */
function uploadStep(line: string): string[] {
  const {
    type,
    document,
    destination,
    outcome = 'begun',
  }: Record<string, unknown> = JSON.parse(line);
  return String(type).startsWith('upload_')
    ? [`${String(outcome)} ${String(document)}.${String(destination)}`]
    : [];
}

test('how an upload ended is on disk before the next asks', async ({ scan, outcomes }) => {
  const one = await scan([[], []], { urls: ['http://127.0.0.1:1'] });
  const seen: Promise<string[]>[] = [];
  const metadata = { tags: ['tax'] };
  const coded: Scan = {
    ...one,
    record: () => {
      const { documents, ...record } = one.record();
      return { ...record, documents: documents.map((document) => ({ ...document, metadata })) };
    },
  };
  const names: typeof token.names = (signal) => ({
    ...token.names(signal),
    check: async () => {
      seen.push(outcomes());
      await Promise.all(seen);
      return { metadata: {}, problems: [], silence: undefined };
    },
  });
  await deliver(coded, { ...token, names }, DEFAULT_REDELIVERY);
  assert.equal(await Promise.all(seen), [
    ['', ''],
    ['r', ''],
  ]);
});

test('nothing is sent that could not be recorded', async ({ root, dms, scan }) => {
  const one = await scan([[]]);
  await rm(path.join(root, STORED_ID), { recursive: true });
  await rejection(deliver(one, token, DEFAULT_REDELIVERY));
  assert.is(dms.uploads().length, 0);
});

test('an end that cannot be recorded ends the delivery', async ({ dms, scan }) => {
  const one = await scan([[], []]);
  const full = Object.assign(new Error('no space'), { code: 'ENOSPC' });
  const failing: Scan = {
    ...one,
    append: (...events) =>
      events.some(({ type }) => type === 'upload_ended')
        ? Promise.reject(full)
        : one.append(...events),
  };
  assert.is(await rejection(deliver(failing, token, DEFAULT_REDELIVERY)), full);
  assert.is(dms.uploads().length, 1);
});

test('a past deadline begins no upload and is reported', async ({ dms, scan, outcomes }) => {
  const one = await scan([['accepted']], { signal: AbortSignal.abort(new Error('too late')) });
  const late = await rejection(deliver(one, token, DEFAULT_REDELIVERY));
  assert.match(String(late), /too late/);
  assert.is(dms.uploads().length, 0);
  assert.equal(await outcomes(), ['a']);
});

test('a deadline in an upload leaves it unknown, the last', async ({ dms, scan, outcomes }) => {
  const deadline = new AbortController();
  const one = await scan([[], []], { signal: deadline.signal });
  dms.setFault({ kind: 'hang', when: 'after_body' });
  dms.events.once('body_received', () => deadline.abort(new Error('too late')));
  const late = await rejection(deliver(one, token, DEFAULT_REDELIVERY));
  assert.match(String(late), /too late/);
  assert.is(dms.uploads().length, 1);
  assert.equal(await outcomes(), ['u', '']);
});

test('a deadline in the beginning sends nothing yet', async ({ dms, scan, outcomes }) => {
  const deadline = new AbortController();
  const one = await scan([[]], { signal: deadline.signal });
  const slow: Scan = {
    ...one,
    append: async (...events) => {
      await one.append(...events);
      deadline.abort(new Error('too late'));
    },
  };
  await rejection(deliver(slow, token, DEFAULT_REDELIVERY));
  assert.is(dms.uploads().length, 0);
  assert.equal(await outcomes(), ['r']);
});

test('a system silent on a serial number is asked once', async ({ scan, outcomes }) => {
  let questions = 0;
  const system = await serve((request, response) => {
    if (request.method === 'GET') questions += 1;
    else request.resume().once('end', () => response.end('"4f3a6c1e-0000-4000-8000-000000000000"'));
  });
  try {
    const one = await scan([[], [], []], {
      urls: [system.url],
      request: { archive_serial_number: 7 },
    });
    const impatient = { ...QUESTION_TIMEOUTS_MS, response: 50 };
    await deliver(
      one,
      createDms(() => Promise.resolve('token'), impatient),
      DEFAULT_REDELIVERY,
    );
    assert.equal(await outcomes(), ['a', 'a', 'a']);
    assert.is(questions, 1);
  } finally {
    await system.close();
  }
});

test('a vanished document fails, the others are sent', async ({ root, dms, scan, outcomes }) => {
  const one = await scan([[], []], { urls: [dms.url] });
  const file = path.join(root, STORED_ID, 'document-0001.pdf');
  await rename(file, `${file}.away`);
  await deliver(one, token, DEFAULT_REDELIVERY);
  assert.equal(await outcomes(), ['r', 'a']);
});
