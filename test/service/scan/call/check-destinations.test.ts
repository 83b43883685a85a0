import { once } from 'node:events';
import { Failure } from '../../../../helpers/failure.ts';
import type { ScanListener } from '../../../../service/archive/scan-record.ts';
import { DEFAULT_REDELIVERY } from '../../../../service/scan/stages/deliver.ts';
import { createSampleDms } from '../../../../simulators/sample-dms/sample-dms.ts';
import { createNetworkFaultProxy } from '../../../support/network-fault-proxy.ts';
import { feedPages } from '../../../support/scan-parts.ts';
import { assert, failure, withFixture } from '../../../support/suite.ts';
import { createScanBench, type ScanBench } from './scan-bench.ts';

const test = withFixture<ScanBench>('what is known of the destinations before paper moves', () =>
  createScanBench(),
);

/** No system listens there. */
const NOWHERE = 'http://127.0.0.1:1';

/** How long a scan waits for its destinations before paper moves, and a system that takes longer. In milliseconds. */
const BOUND_MS = 3000;
/** The same where nothing is asked that a destination could refuse. */
const WARNING_MS = 2000;
const SLOW_MS = 6000;

test('a tag that the destination lacks is refused before paper moves, with what was meant', async (bench) => {
  const { scans, parts } = await bench.start({ feed: feedPages(1) });
  const call = { ...bench.call(), metadata: { tags: ['Invoce', 'Tax'] } };
  const { message, facts } = await failure('metadata_not_found', scans.scan(call));
  assert.match(message, /no tag named "Invoce".*Did you mean "Invoice"\?/);
  const [field] = facts['fields'] as readonly Record<string, unknown>[];
  assert.is(field?.['field'], 'tags');
  assert.equal(field?.['near'], ['Invoice']);
  assert.equal(parts.fed, []);
});

type Broken = readonly [string, (bench: ScanBench) => Promise<Listening>, RegExp];

/** A destination that documents cannot be delivered to. */
interface Listening {
  readonly base_url: string;
  readonly close: () => Promise<unknown>;
}

const BROKEN: readonly Broken[] = [
  [
    'is down',
    async () => ({ base_url: NOWHERE, close: async () => {} }),
    /^Documents may not be delivered to http:\/\/127\.0\.0\.1:1\. Connection refused at .* Check that Paperless-ngx is running\.$/,
  ],
  [
    'refuses the token',
    async ({ root }) => {
      const { url, close } = await createSampleDms({ tokens: ['another'], storeDir: root });
      return { base_url: url, close };
    },
    /The API token was refused \(401 .*\)\. Check the secret dms_api_token\.$/,
  ],
];

for (const [what, listen, expected] of BROKEN) {
  test(`a destination that ${what} is a warning before paper moves, and the scan goes on`, async (bench) => {
    const { base_url, close } = await listen(bench);
    const begun: (readonly string[])[] = [];
    const listener: ScanListener = (event) => {
      if (event.type === 'begun') begun.push(event.warnings ?? []);
    };
    const { scans } = await bench.start({ feed: feedPages(1) }, { listener });
    const destinations = [{ kind: 'dms', base_url }];
    const { warnings, documents } = await scans.scan(bench.call({ destinations }));
    await close();
    assert.is(warnings.length, 1);
    assert.match(warnings[0] ?? '', expected);
    assert.equal(begun, [warnings]);
    assert.is(documents[0]?.destinations[0]?.status, 'failed');
  });
}

test('a serial number that is in use is filed without, and said before paper moves', async (bench) => {
  const { scans } = await bench.start({ feed: feedPages(1) });
  const call = { ...bench.call(), metadata: { archive_serial_number: 4702 } };
  assert.equal((await scans.scan(call)).warnings, []);
  await bench.dms.idle();
  const { warnings } = await scans.scan(call);
  await bench.dms.idle();
  assert.equal(warnings, [
    `Document 1 in ${bench.dms.url} has the archive serial number 4702 already: this one is filed without it.`,
  ]);
  const numbers = bench.dms.documents().map((one) => one.archive_serial_number);
  assert.equal(numbers, [4702, undefined]);
});

test('a token that is not there is a warning at once', async (bench) => {
  const { scans, parts } = await bench.start({ feed: feedPages(1) });
  const { dms } = parts;
  const accessTo = (): Promise<never> => Promise.reject(new Error('There is no API token.'));
  Object.assign(parts, { dms: { ...dms, accessTo } });
  const { warnings } = await scans.scan(bench.call());
  assert.equal(warnings, [
    `Documents may not be delivered to ${bench.dms.url}. There is no API token.`,
  ]);
});

test('a system that is slow before paper moves is no warning: the delivery has the time of the call', async (bench) => {
  const { scans, parts } = await bench.start({ feed: feedPages(1) });
  const { dms } = parts;
  const accessTo: typeof dms.accessTo = async (destination, signal) => {
    await once(signal, 'abort');
    return dms.accessTo(destination, signal);
  };
  Object.assign(parts, { dms: { ...dms, accessTo } });
  const { warnings, documents } = await scans.scan(bench.call());
  assert.equal(warnings, []);
  assert.is(documents[0]?.destinations[0]?.status, 'submitted');
});

test('a destination is asked while the processor is, and a slow processor adds nothing to it', async (bench) => {
  const asked = Promise.withResolvers<void>();
  const processorHealth = (): Promise<void> => asked.promise;
  const { scans, parts } = await bench.start({ feed: feedPages(1), processorHealth });
  const { dms } = parts;
  const accessTo: typeof dms.accessTo = (...question) => {
    asked.resolve();
    return dms.accessTo(...question);
  };
  Object.assign(parts, { dms: { ...dms, accessTo } });
  const { documents } = await scans.scan(bench.call());
  assert.is(documents[0]?.destinations[0]?.status, 'submitted');
});

test('what the processor lacks is reported rather than what the destination refuses', async (bench) => {
  const gone = new Failure('processing_failed', 'It cannot read deu.');
  const { scans, parts } = await bench.start({ processorHealth: () => Promise.reject(gone) });
  const call = { ...bench.call(), metadata: { tags: ['Invoce'] } };
  await failure('processing_failed', scans.scan(call));
  assert.equal(parts.fed, []);
});

for (const [what, fields, boundMs] of [
  ['with names, which it could refuse', { tags: ['Tax'] }, BOUND_MS],
  ['with nothing that it could refuse', {}, WARNING_MS],
] as const) {
  test(`a slow destination ${what} delays the first page by ${boundMs} ms, and is no warning`, async (bench) => {
    const proxy = await createNetworkFaultProxy({ port: bench.dms.port });
    let fedAt = Number.POSITIVE_INFINITY;
    const feedPage = feedPages(1);
    const feed: typeof feedPage = (...asked) => {
      fedAt = performance.now();
      // The upload is healthy.
      proxy.setToxic(undefined);
      return feedPage(...asked);
    };
    const { scans } = await bench.start({ feed });
    try {
      proxy.setToxic({ kind: 'latency', ms: SLOW_MS });
      const base_url = `http://127.0.0.1:${proxy.port}`;
      const call = bench.call({ destinations: [{ kind: 'dms', base_url, ...fields }] });
      const begunAt = performance.now();
      const { warnings, documents } = await scans.scan(call);
      const waitedMs = fedAt - begunAt;
      assert.ok(waitedMs >= boundMs - 50 && waitedMs < SLOW_MS, `fed after ${waitedMs} ms`);
      assert.equal(warnings, []);
      assert.is(documents[0]?.destinations[0]?.status, 'submitted');
    } finally {
      await proxy.close();
    }
  });
}

test('nothing is created for a scan that the scanner then refuses', async (bench) => {
  const misspelled = new Failure('scan_option_rejected', 'The scanner does not accept source "x".');
  const { scans } = await bench.start({ feed: feedPages(0, misspelled) });
  const destination = { kind: 'dms', base_url: bench.dms.url, create_missing: true };
  const call = bench.call({ destinations: [{ ...destination, tags: ['Brand new'] }] });
  await failure('scan_option_rejected', scans.scan(call));
  assert.not.ok(bench.dms.objects().tags.some(({ name }) => name === 'Brand new'));
});

test('a profile that requires its destinations feeds nothing while one does not work', async (bench) => {
  const { scans, parts } = await bench.start({ feed: feedPages(1) });
  const required = { require_destinations: true };
  const call = bench.call({ ...required, destinations: [{ kind: 'dms', base_url: NOWHERE }] });
  const { message, facts } = await failure('destination_unavailable', scans.scan(call));
  assert.match(
    message,
    /requires http:\/\/127\.0\.0\.1:1, so nothing was fed\. Connection refused/,
  );
  assert.equal(facts['destinations'], [NOWHERE]);
  assert.equal(parts.fed, []);
  assert.equal((await scans.scan(bench.call(required))).warnings, []);
});

test('a resume whose metadata the destination lacks is refused, and changes nothing', async (bench) => {
  const { scans } = await bench.start({ feed: feedPages(1) });
  bench.dms.setFault({ kind: 'answer', status: 400, body: '{}' }, 1);
  const { scan_id } = await scans.scan(bench.call());
  const wrong = { redelivery: DEFAULT_REDELIVERY, metadata: { tags: ['Txa'] } };
  await failure('metadata_not_found', scans.resume(scan_id, wrong));
  assert.equal((await bench.stored(scan_id)).request, {});
  const right = { redelivery: DEFAULT_REDELIVERY, metadata: { tags: ['Tax'] } };
  const { documents } = await scans.resume(scan_id, right);
  assert.is(documents[0]?.destinations[0]?.status, 'submitted');
});
