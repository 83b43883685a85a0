import { once } from 'node:events';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Failure } from '../../../../helpers/failure.ts';
import { DEFAULT_REDELIVERY } from '../../../../service/scan/stages/deliver.ts';
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

test('a number in a text field is refused before paper moves, and no upload is in doubt', async (bench) => {
  const { scans, parts } = await bench.start({ feed: feedPages(1) });
  const call = { ...bench.call(), metadata: { custom_fields: { 1: 4711 } } };
  const { message } = await failure('invalid_body', scans.scan(call));
  assert.match(message, /"Reference" cannot have the value 4711\. Give text/);
  assert.equal(parts.fed, []);
});

test('names of the profile and the request reach the system as ids', async (bench) => {
  const { scans } = await bench.start({ feed: feedPages(1) });
  const destinations = [{ kind: 'dms', base_url: bench.dms.url, tags: ['Tax', 1] }];
  const metadata = { tags: ['Bank'], correspondent: 'Tax Office' };
  const { documents, warnings } = await scans.scan({ ...bench.call({ destinations }), metadata });
  assert.is(documents[0]?.destinations[0]?.status, 'submitted');
  assert.equal(warnings, []);
  await bench.dms.idle();
  const [document] = bench.dms.documents();
  assert.equal([document?.tags, document?.correspondent], [[4, 1, 6], 3]);
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
