import { readFileSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { EVENT_FILE } from '../../../../service/archive/event-file.ts';
import type { OpenScan } from '../../../../service/archive/open-scan.ts';
import type { NewScanEvent } from '../../../../service/archive/scan-event.ts';
import type { ScanResult } from '../../../../service/archive/scan-view.ts';
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
  type Redelivery,
} from '../../../../service/archive/upload-decision.ts';
import { deliver, isDelivered } from '../../../../service/scan/stages/deliver.ts';
import type { SampleDms } from '../../../../simulators/sample-dms/sample-dms.ts';
import { dismissTasks } from '../../../support/dismiss-tasks.ts';
import { feedPages } from '../../../support/scan-parts.ts';
import { serve } from '../../../support/serve.ts';
import {
  assembled,
  begun,
  page,
  planned,
  STORED_ID,
  storeScan,
} from '../../../support/stored-scan.ts';
import { assert, failure, rejection, withFixture } from '../../../support/suite.ts';
import { createScanBench, type ScanBench, statuses } from './scan-bench.ts';

const X = { base_url: 'http://127.0.0.1:1' };

interface Place {
  readonly base_url: string;
}

const test = withFixture('destinations are a system and an account', async () => {
  const bench = await createScanBench();
  const other = await bench.another();
  const asked = { metadata: {}, page_grouping: 'per_page' };
  let pages = 1;
  let id = '';
  const { scans } = await bench.start({
    feed: (request, options) => feedPages(pages)(request, options),
  });
  const profileAt = (places: readonly Place[]): ReturnType<ScanBench['profile']> =>
    bench.profile({
      destinations: places.map((place) => ({ kind: 'dms', ...place })),
      assembly: { page_grouping: asked.page_grouping },
    });
  return {
    ...bench,
    a: bench.dms,
    b: other,
    A: { base_url: bench.dms.url },
    B: { base_url: other.url },
    asked,
    scan: async (count: number, ...places: readonly Place[]): Promise<ScanResult> => {
      pages = count;
      const { metadata } = asked;
      const result = await scans.scan({ profile: profileAt(places), metadata });
      id = result.scan_id;
      return result;
    },
    resume: (places: readonly Place[], redelivery: Partial<Redelivery> = {}, metadata = {}) =>
      scans.resume(id, {
        profile: profileAt(places),
        redelivery: { ...DEFAULT_REDELIVERY, ...redelivery },
        metadata,
      }),
  };
});

function uploadsOf(dms: SampleDms): number[] {
  const counts = new Map<string, number>();
  for (const { filename } of dms.uploads().filter(({ status }) => status === 200)) {
    counts.set(String(filename), (counts.get(String(filename)) ?? 0) + 1);
  }
  return [...counts.values()];
}

test('a replaced destination keeps its documents', async ({ a, b, A, B, scan, resume }) => {
  assert.is(statuses(await scan(1, A, X)), 'submitted failed');
  const replaced = await resume([X, B]);
  assert.is(statuses(replaced), 'failed failed');
  assert.match(JSON.stringify(replaced), /sent to http.* before.*\{\\"add_destinations\\": true\}/);
  assert.equal([uploadsOf(a), uploadsOf(b)], [[1], []]);
  assert.is(statuses(await resume([A, X, B])), 'submitted failed submitted');
  assert.equal([uploadsOf(a), uploadsOf(b)], [[1], [1]]);
});

test('a document refused by one is not sent to its successor', async ({
  a,
  b,
  A,
  B,
  scan,
  resume,
}) => {
  a.events.once('upload_ended', () => a.setFault({ kind: 'answer', status: 400, body: '{}' }));
  assert.is(statuses(await scan(2, A)), 'submitted, failed');
  a.setFault(undefined);
  assert.is(statuses(await resume([B])), 'failed, submitted');
  assert.is(statuses(await resume([A, B])), 'submitted submitted, submitted submitted');
  for (const system of [a, b]) assert.equal(uploadsOf(system), [1, 1]);
});

test('another name of the same system gets no copy', async ({ a, A, scan, resume }) => {
  const alias = { base_url: a.url.replace('127.0.0.1', 'localhost') };
  await scan(1, A);
  assert.is(statuses(await resume([alias])), 'failed');
  assert.equal(uploadsOf(a), [1]);
  assert.is(statuses(await resume([alias], { add_destinations: true })), 'submitted');
  assert.equal(uploadsOf(a), [2]);
});

test('an address that was never reached can be corrected silently', async ({ A, scan, resume }) => {
  assert.is(statuses(await scan(1, X)), 'failed');
  assert.is(statuses(await resume([A])), 'submitted');
});

test('returning to an address that refused it files nothing again', async (bench) => {
  const { a, A, scan, resume } = bench;
  const down = { base_url: a.url.replace('127.0.0.1', 'localhost') };
  a.setFault({ kind: 'answer', status: 400, body: '{}' });
  assert.is(statuses(await scan(3, down)), 'failed, failed, failed');
  a.setFault(undefined);
  assert.is(statuses(await resume([A])), 'submitted, submitted, submitted');
  const back = await resume([down]);
  assert.is(statuses(back), 'failed, failed, failed');
  assert.match(
    JSON.stringify(back.documents),
    /sent to http.* before, which the profile no longer names/,
  );
  assert.equal(uploadsOf(a), [1, 1, 1]);
  assert.is(
    statuses(await resume([A, down])),
    'submitted submitted, submitted submitted, submitted submitted',
  );
});

test('returning to one with unknown outcome sends a copy only on request', async (bench) => {
  const { a, b, A, B, scan, resume } = bench;
  a.setFault({ kind: 'answer', status: 500 });
  assert.is(statuses(await scan(1, A)), 'failed');
  a.setFault(undefined);
  assert.is(statuses(await resume([B])), 'failed');
  assert.is(statuses(await resume([B], { add_destinations: true })), 'submitted');
  const back = await resume([A]);
  const body = 'POST {"resend_unknown": true, "add_destinations": true} to /scans/';
  assert.match(back.warnings.join('\n'), body);
  const held = await resume([A], { resend_unknown: true });
  assert.match(
    JSON.stringify(held.documents),
    /sent to http.* before, which the profile no longer names/,
  );
  assert.equal([uploadsOf(a), uploadsOf(b)], [[], [1]]);
  const both = { resend_unknown: true, add_destinations: true };
  assert.is(statuses(await resume([A], both)), 'submitted');
  assert.equal([uploadsOf(a), uploadsOf(b)], [[1], [1]]);
});

test('documents sent to one account do not count for another', async (bench) => {
  const { a, A, scan, resume } = bench;
  const other = { ...A, token_secret: 'other' };
  a.setFault({ kind: 'answer', status: 500 }, 1);
  assert.is(statuses(await scan(1, A, other)), 'failed submitted');
  const again = await resume([A, other], { resend_unknown: true });
  const [first, second] = again.documents[0]?.destinations ?? [];
  assert.not.equal(first, second);
});

test('an unknown upload is settled by its task, not sent again', async ({ a, A, scan, resume }) => {
  a.setFault({ kind: 'answer', status: 500, store: true });
  assert.is(statuses(await scan(1, A)), 'failed');
  a.setFault(undefined);
  await a.idle();
  const settled = await resume([A], { resend_unknown: true });
  const task_id = a.tasks()[0]?.task_id;
  assert.equal(settled.documents[0]?.destinations, [{ status: 'submitted', task_id }]);
  assert.equal(a.documents().length, 1);
});

test('a document whose task failed is sent again', async ({ a, A, asked, scan, resume }) => {
  asked.metadata = { archive_serial_number: 5 };
  asked.page_grouping = 'combined';
  a.setFault({ kind: 'failed_task', reason: 'Given ASN 5 already exists!' }, 1);
  const taken = await scan(2, A);
  await a.idle();
  assert.is(a.tasks()[0]?.status, 'FAILURE');
  assert.equal([statuses(taken), uploadsOf(a)], ['submitted', [1]]);
  await resume([A], { resend_unknown: true }, { archive_serial_number: 6 });
  assert.equal(uploadsOf(a), [1]);
  const again = await resume([A], { resend_submitted: ['document-0001.pdf'] });
  await a.idle();
  assert.not.equal(again.documents[0]?.destinations, taken.documents[0]?.destinations);
  assert.equal([statuses(again), uploadsOf(a)], ['submitted', [2]]);
  const numbers = a.documents().map(({ archive_serial_number }) => archive_serial_number);
  assert.equal(numbers, [6]);
});

const HELD = ['PENDING', 'RECEIVED', 'STARTED', 'RETRY'] as const;

for (const status of HELD) {
  test(`a document whose task is ${status} is not sent again`, async ({ a, A, scan, resume }) => {
    a.setFault({ kind: 'held_task', status });
    const first = await scan(1, A);
    const again = { resend_submitted: ['document-0001.pdf'] };
    // The second call of a pair is refused, or starts when the first one has ended.
    await Promise.allSettled([resume([A], again), resume([A], again)]);
    const last = await resume([A], again);
    assert.equal(last.documents, first.documents);
    const said = /document-0001\.pdf: http.* has this document in its queue or is working on it/;
    assert.match(last.warnings.join('\n'), said);
    assert.equal(uploadsOf(a), [1]);
    await dismissTasks(a);
    await Promise.allSettled([resume([A], again), resume([A], again)]);
    assert.equal(uploadsOf(a), [2]);
    a.releaseTasks();
    await a.idle();
  });
}

test('a refused second copy keeps the first one', async ({ a, A, B, scan, resume }) => {
  a.setFault({ kind: 'failed_task', reason: 'no space' });
  const first = await scan(1, A);
  await a.idle();
  a.setFault({ kind: 'answer', status: 400, body: '{}' });
  const again = await resume([A], { resend_submitted: ['document-0001.pdf'] });
  assert.equal(again.documents, first.documents);
  const said =
    /document-0001\.pdf: This document could not be sent to http.* again, and nothing changed there\. .*400/;
  assert.match(again.warnings.join('\n'), said);
  a.setFault(undefined);
  await resume([A]);
  assert.is(statuses(await resume([B])), 'failed');
  assert.equal(uploadsOf(a), [1]);
});

test('a document that exists is not sent, and its entry says so', async ({
  a,
  A,
  scan,
  resume,
}) => {
  const first = await scan(1, A);
  await a.idle();
  const again = await resume([A], { resend_submitted: ['document-0001.pdf'] });
  assert.equal(again.documents, first.documents);
  const said = /document-0001\.pdf: http.* has this document as number 1/;
  assert.match(again.warnings.join('\n'), said);
  assert.equal(uploadsOf(a), [1]);
});

test('a document that was never sent cannot be sent again', async ({ a, A, scan, resume }) => {
  await scan(1, A);
  const asked = resume([A], { resend_submitted: ['document-0002.pdf'] });
  const { message } = await failure('invalid_body', asked);
  assert.match(message, /document-0002\.pdf.* It has document-0001\.pdf/);
  assert.equal(uploadsOf(a), [1]);
});

type Outcome = Delivery['outcome'];

const DELIVERIES: Readonly<Record<Outcome, Delivery>> = {
  accepted: accepted('earlier'),
  refused: refused('earlier'),
  unknown: unknown('earlier'),
};

interface ScanOptions {
  readonly urls?: readonly string[];
  readonly signal?: AbortSignal;
  readonly request?: object;
}

const delivery = withFixture('delivering a scan', async () => {
  const bench = await createScanBench();
  const { archive } = await bench.start();
  const opened: OpenScan[] = [];
  return {
    ...bench,
    events: bench.file(STORED_ID, EVENT_FILE),
    close: async () => {
      for (const open of opened) await open.close();
      await bench.close();
    },
    /** Stores a scan with one document per list of outcomes, delivered by an earlier call. */
    scan: async (
      outcomes: readonly Outcome[][],
      { urls = [bench.dms.url, bench.dms.url], signal, request = {} }: ScanOptions = {},
    ): Promise<Scan> => {
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
      const deadline = createDeadline(20, performance.now());
      const own = signal ? { ...deadline, signal } : deadline;
      const { signal: stop } = new AbortController();
      return { ...open, id: STORED_ID, deadline: own, stop, log: bench.logged.log };
    },
    /** The outcomes as a freshly started service reads them, one letter per upload. */
    outcomes: async (): Promise<string[]> =>
      (await bench.stored(STORED_ID)).documents.map(({ outcomes }) =>
        outcomes.map((outcome) => outcome.slice(0, 1)).join(''),
      ),
  };
});

function deliveredBefore(outcomes: readonly Outcome[], document: number): NewScanEvent[] {
  return outcomes.flatMap((outcome, destination) => [
    { type: 'upload_begun', document, destination, title: '' },
    { type: 'upload_ended', document, destination, ...DELIVERIES[outcome] },
  ]);
}

const token = createDms(() => Promise.resolve('token'));

const send = (scan: Scan, dms = token): Promise<void> => deliver(scan, dms, DEFAULT_REDELIVERY);

delivery('sends only the rest, with each entry in its place', async (bench) => {
  const one = await bench.scan([
    ['accepted', 'unknown'],
    ['refused', 'accepted'],
    ['unknown', 'refused'],
    ['accepted'],
    [],
  ]);
  assert.not.ok(isDelivered(one.record(), DEFAULT_REDELIVERY));
  await send(one);
  assert.ok(isDelivered(one.record(), DEFAULT_REDELIVERY));
  assert.equal(await bench.outcomes(), ['au', 'aa', 'ua', 'aa', 'aa']);
  const sent = bench.dms.uploads().map(({ filename }) => filename?.slice(-8, -4));
  assert.equal(sent, ['0002', '0003', '0004', '0005', '0005']);
});

function uploadStep(line: string): string[] {
  const { type, document, destination, outcome = 'begun' } = JSON.parse(line);
  return String(type).startsWith('upload_') ? [`${outcome} ${document}.${destination}`] : [];
}

delivery('records the start of an upload before sending it', async ({ events, dms, scan }) => {
  const one = await scan([[], []]);
  const seen: string[] = [];
  dms.events.on('upload_started', () => {
    const lines = readFileSync(events, 'utf8').trimEnd().split('\n');
    seen.push(lines.flatMap(uploadStep).join(', '));
  });
  await send(one);
  assert.equal(seen, [
    'begun 0.0',
    'begun 0.0, accepted 0.0, begun 0.1',
    'begun 0.0, accepted 0.0, begun 0.1, accepted 0.1, begun 1.0',
    'begun 0.0, accepted 0.0, begun 0.1, accepted 0.1, begun 1.0, accepted 1.0, begun 1.1',
  ]);
});

delivery('records the outcome of an upload before the next one', async ({ scan, outcomes }) => {
  const one = await scan([[], []], { urls: [X.base_url] });
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
      return { metadata: {}, problems: [], noAnswer: undefined };
    },
  });
  await send(coded, { ...token, names });
  assert.equal(await Promise.all(seen), [
    ['', ''],
    ['r', ''],
  ]);
});

delivery('sends nothing that could not be recorded', async ({ root, dms, scan }) => {
  const one = await scan([[]]);
  await rm(`${root}/${STORED_ID}`, { recursive: true });
  await rejection(send(one));
  assert.is(dms.uploads().length, 0);
});

delivery('stops if an outcome cannot be recorded', async ({ dms, scan }) => {
  const one = await scan([[], []]);
  const full = Object.assign(new Error('no space'), { code: 'ENOSPC' });
  const append: Scan['append'] = (...events) =>
    events.some(({ type }) => type === 'upload_ended')
      ? Promise.reject(full)
      : one.append(...events);
  assert.is(await rejection(send({ ...one, append })), full);
  assert.is(dms.uploads().length, 1);
});

delivery('starts no upload after the deadline, and reports it', async ({ dms, scan, outcomes }) => {
  const one = await scan([['accepted']], { signal: AbortSignal.abort(new Error('too late')) });
  assert.match(String(await rejection(send(one))), /too late/);
  assert.is(dms.uploads().length, 0);
  assert.equal(await outcomes(), ['a']);
});

delivery(
  'leaves the last upload unknown if the deadline passes during it',
  async ({ dms, scan, outcomes }) => {
    const deadline = new AbortController();
    const one = await scan([[], []], { signal: deadline.signal });
    dms.setFault({ kind: 'hang', when: 'after_body' });
    dms.events.once('body_received', () => deadline.abort(new Error('too late')));
    assert.match(String(await rejection(send(one))), /too late/);
    assert.is(dms.uploads().length, 1);
    assert.equal(await outcomes(), ['u', '']);
  },
);

delivery(
  'sends nothing if the deadline passes at the beginning',
  async ({ dms, scan, outcomes }) => {
    const deadline = new AbortController();
    const one = await scan([[]], { signal: deadline.signal });
    const append: Scan['append'] = async (...events) => {
      await one.append(...events);
      deadline.abort(new Error('too late'));
    };
    await rejection(send({ ...one, append }));
    assert.is(dms.uploads().length, 0);
    assert.equal(await outcomes(), ['r']);
  },
);

delivery('asks a silent system about a serial number only once', async ({ scan, outcomes }) => {
  let questions = 0;
  const system = await serve((request, response) => {
    if (request.method === 'GET') questions += 1;
    else request.resume().once('end', () => response.end('"4f3a6c1e-0000-4000-8000-000000000000"'));
  });
  try {
    const request = { archive_serial_number: 7 };
    const one = await scan([[], [], []], { urls: [system.url], request });
    const impatient = { ...QUESTION_TIMEOUTS_MS, response: 50 };
    await send(
      one,
      createDms(() => Promise.resolve('token'), impatient),
    );
    assert.equal([await outcomes(), questions], [['a', 'a', 'a'], 1]);
  } finally {
    await system.close();
  }
});

delivery(
  'fails a vanished document and sends the others',
  async ({ file, dms, scan, outcomes }) => {
    const one = await scan([[], []], { urls: [dms.url] });
    const document = file(STORED_ID, 'document-0001.pdf');
    await rename(document, `${document}.away`);
    await send(one);
    assert.equal(await outcomes(), ['r', 'a']);
  },
);
