import path from 'node:path';
import { createDms } from '../../../../service/paperless/dms.ts';
import type { ScanResult } from '../../../../service/archive/scan-view.ts';
import { DEFAULT_REDELIVERY, type Redelivery } from '../../../../service/scan/stages/deliver.ts';
import { createSampleDms, type SampleDms } from '../../../../simulators/sample-dms/sample-dms.ts';
import { feedPages } from '../../../support/scan-parts.ts';
import { assert, failure, withFixture } from '../../../support/suite.ts';
import { createScanBench, type ScanBench } from './scan-bench.ts';

const DOWN = 'http://127.0.0.1:1';

interface Place {
  readonly base_url: string;
  readonly token_secret?: string;
}

/** Two systems, and a scan whose profile is corrected between its calls. */
const test = withFixture('destinations are a system and an account', async () => {
  const bench = await createScanBench();
  const storeDir = path.join(path.dirname(bench.root), 'other');
  const other = await createSampleDms({ tokens: ['token'], storeDir });
  /** By their name; all have the token of the systems at first. */
  const secrets = new Map<string, string>();
  /** What the next scan asks for. */
  const asked = { metadata: {}, page_grouping: 'per_page' };
  let pages = 1;
  const { scans, parts } = await bench.start({
    feed: (request, options) => feedPages(pages)(request, options),
  });
  Object.assign(parts, { dms: createDms(async (name) => secrets.get(name) ?? 'token') });
  let id = '';
  const profileAt = (places: readonly Place[]): ReturnType<ScanBench['profile']> =>
    bench.profile({
      destinations: places.map((place) => ({ kind: 'dms', ...place })),
      assembly: { page_grouping: asked.page_grouping },
    });
  return {
    ...bench,
    a: bench.dms,
    b: other,
    secrets,
    asked,
    /** Scans pages that become a document each, and delivers them to these places. */
    scan: async (count: number, ...places: readonly Place[]): Promise<ScanResult> => {
      pages = count;
      const { metadata } = asked;
      const result = await scans.scan({ profile: profileAt(places), metadata });
      id = result.scan_id;
      return result;
    },
    /** Resumes the scan with these places in its profile. */
    resume: (places: readonly Place[], redelivery: Partial<Redelivery> = {}, metadata = {}) =>
      scans.resume(id, {
        profile: profileAt(places),
        redelivery: { ...DEFAULT_REDELIVERY, ...redelivery },
        metadata,
      }),
    close: () => Promise.all([other.close(), bench.close()]),
  };
});

const statuses = ({ documents }: ScanResult): string[][] =>
  documents.map(({ destinations }) => destinations.map(({ status }) => status));

/** How often a system accepted each document. */
function uploadsOf(dms: SampleDms): number[] {
  const counts = new Map<string, number>();
  for (const { filename } of dms.uploads().filter(({ status }) => status === 200)) {
    counts.set(String(filename), (counts.get(String(filename)) ?? 0) + 1);
  }
  return [...counts.values()];
}

test('one that is replaced keeps what it was sent', async ({ a, b, scan, resume }) => {
  const [A, B, X] = [{ base_url: a.url }, { base_url: b.url }, { base_url: DOWN }];
  assert.equal(statuses(await scan(1, A, X)), [['submitted', 'failed']]);
  const replaced = await resume([X, B]);
  assert.equal(statuses(replaced), [['failed', 'failed']]);
  assert.match(JSON.stringify(replaced), /sent to http.* before.*\{\\"add_destinations\\": true\}/);
  assert.equal([uploadsOf(a), uploadsOf(b)], [[1], []]);
  assert.equal(statuses(await resume([A, X, B])), [['submitted', 'failed', 'submitted']]);
  assert.equal([uploadsOf(a), uploadsOf(b)], [[1], [1]]);
});

test('what one refused is not sent to its successor', async ({ a, b, scan, resume }) => {
  const [A, B] = [{ base_url: a.url }, { base_url: b.url }];
  a.events.once('upload_ended', () => a.setFault({ kind: 'answer', status: 400, body: '{}' }));
  assert.equal(statuses(await scan(2, A)), [['submitted'], ['failed']]);
  a.setFault(undefined);
  assert.equal(statuses(await resume([B])), [['failed'], ['submitted']]);
  assert.equal(statuses(await resume([A, B])), [
    ['submitted', 'submitted'],
    ['submitted', 'submitted'],
  ]);
  assert.equal(
    [uploadsOf(a), uploadsOf(b)],
    [
      [1, 1],
      [1, 1],
    ],
  );
});

test('another name of one system gets no copy', async ({ a, scan, resume }) => {
  const alias = { base_url: a.url.replace('127.0.0.1', 'localhost') };
  await scan(1, { base_url: a.url });
  const held = await resume([alias]);
  assert.equal(statuses(held), [['failed']]);
  assert.equal(uploadsOf(a), [1]);
  assert.equal(statuses(await resume([alias], { add_destinations: true })), [['submitted']]);
  assert.equal(uploadsOf(a), [2]);
});

test('an address never reached is corrected silently', async ({ a, scan, resume }) => {
  assert.equal(statuses(await scan(1, { base_url: DOWN })), [['failed']]);
  assert.equal(statuses(await resume([{ base_url: a.url }])), [['submitted']]);
});

test('an unknown upload is settled by its task, not again', async ({ a, scan, resume }) => {
  a.setFault({ kind: 'answer', status: 500, store: true });
  const A = { base_url: a.url };
  assert.equal(statuses(await scan(1, A)), [['failed']]);
  a.setFault(undefined);
  await a.idle();
  const settled = await resume([A], { resend_unknown: true });
  assert.equal(settled.documents[0]?.destinations, [
    { status: 'submitted', task_id: a.tasks()[0]?.task_id },
  ]);
  assert.equal(a.documents().length, 1);
});

test('a document whose task failed is sent again', async ({ a, asked, scan, resume }) => {
  const A = { base_url: a.url };
  asked.metadata = { archive_serial_number: 5 };
  asked.page_grouping = 'combined';
  a.setFault({ kind: 'failed_task', reason: 'Given ASN 5 already exists!' }, 1);
  const taken = await scan(2, A);
  await a.idle();
  assert.is(a.tasks()[0]?.status, 'FAILURE');
  assert.equal([statuses(taken), uploadsOf(a)], [[['submitted']], [1]]);
  await resume([A], { resend_unknown: true }, { archive_serial_number: 6 });
  assert.equal(uploadsOf(a), [1]);
  const again = await resume([A], { resend_submitted: ['document-0001.pdf'] });
  await a.idle();
  assert.not.equal(again.documents[0]?.destinations, taken.documents[0]?.destinations);
  assert.equal([statuses(again), uploadsOf(a)], [[['submitted']], [2]]);
  assert.equal(
    a.documents().map(({ archive_serial_number }) => archive_serial_number),
    [6],
  );
});

test('a document that is there is not sent, as it says', async ({ a, scan, resume }) => {
  const first = await scan(1, { base_url: a.url });
  await a.idle();
  const resend_submitted = ['document-0001.pdf'];
  const again = await resume([{ base_url: a.url }], { resend_submitted });
  assert.equal(again.documents, first.documents);
  assert.match(
    again.warnings.join('\n'),
    /document-0001\.pdf: http.* has this document as number 1/,
  );
  assert.equal(uploadsOf(a), [1]);
});

test('a document that was never made cannot be sent again', async ({ a, scan, resume }) => {
  await scan(1, { base_url: a.url });
  const asked = resume([{ base_url: a.url }], { resend_submitted: ['document-0002.pdf'] });
  const error = await failure('invalid_body', asked);
  assert.match(error.message, /document-0002\.pdf.* It has document-0001\.pdf/);
  assert.equal(uploadsOf(a), [1]);
});
