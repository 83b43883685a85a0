import { once } from 'node:events';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Failure } from '../../../../helpers/failure.ts';
import { DEFAULT_REDELIVERY } from '../../../../service/scan/stages/deliver.ts';
import { createNetworkFaultProxy } from '../../../support/network-fault-proxy.ts';
import { failure } from '../../../support/rejection.ts';
import { feedPages } from '../../../support/scan-parts.ts';
import { withFixture } from '../../../support/with-fixture.ts';
import { createScanBench, type ScanBench } from './scan-bench.ts';

const test = withFixture<ScanBench>(
  suite('what is known of the destinations before paper moves'),
  createScanBench,
);

/** No system listens there. */
const NOWHERE = 'http://127.0.0.1:1';

/** How long a scan waits for its destinations before paper moves, and a system that takes longer. In milliseconds. */
const BOUND_MS = 3000;
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

test('a destination that does not work is a warning, from the second scan within a minute on', async (bench) => {
  const { scans } = await bench.start({ feed: feedPages(1) });
  const destinations = [{ kind: 'dms', base_url: NOWHERE }];
  assert.equal((await scans.scan(bench.call({ destinations }))).warnings, []);
  const [warning] = (await scans.scan(bench.call({ destinations }))).warnings;
  assert.is(
    warning,
    `Documents may not be delivered to ${NOWHERE}. Connection refused at ${NOWHERE}. Check that Paperless-ngx is running.`,
  );
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

test('a destination that answers later than the bound delays the first page by the bound only', async (bench) => {
  let fedAt = Number.POSITIVE_INFINITY;
  const feedPage = feedPages(1);
  const feed: typeof feedPage = (...asked) => {
    fedAt = performance.now();
    return feedPage(...asked);
  };
  const { scans } = await bench.start({ feed });
  const proxy = await createNetworkFaultProxy({ port: bench.dms.port });
  try {
    // The connection of the question only: the one of the upload is healthy.
    proxy.setToxic({ kind: 'latency', ms: SLOW_MS }, undefined);
    const base_url = `http://127.0.0.1:${proxy.port}`;
    const call = bench.call({ destinations: [{ kind: 'dms', base_url, tags: ['Tax'] }] });
    const begunAt = performance.now();
    const { warnings, documents } = await scans.scan(call);
    const waitedMs = fedAt - begunAt;
    assert.ok(waitedMs >= BOUND_MS - 50 && waitedMs < SLOW_MS, `fed after ${waitedMs} ms`);
    assert.equal(warnings, []);
    assert.is(documents[0]?.destinations[0]?.status, 'submitted');
  } finally {
    await proxy.close();
  }
});

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

test.run();
