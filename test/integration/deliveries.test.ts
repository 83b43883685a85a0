import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ScanResult } from '../../service/archive/scan-view.ts';
import { DMS_TOKEN, startAppliance, type Appliance } from '../support/appliance/appliance.ts';
import { shippedPage } from '../support/pages.ts';
import { createSampleDms, type SampleDms } from '../../simulators/sample-dms/sample-dms.ts';
import path from 'node:path';
import { writeFile } from 'node:fs/promises';

interface Context {
  appliance: Appliance;
  second: SampleDms;
}

const test = suite<Context>('delivery of many documents to several destinations');

const DOCUMENTS = 10;

test.before(async (context) => {
  const appliance = await startAppliance({
    profiles: [{ name: 'one', source: 'ADF', resolution: 100 }],
  });
  context.appliance = appliance;
  context.second = await createSampleDms({
    tokens: ['second-token'],
    storeDir: path.join(appliance.directory, 'second'),
  });
  await writeFile(path.join(appliance.directory, 'secrets/second_token'), 'second-token');
  const first = { kind: 'dms', base_url: appliance.dms.url };
  const second = { kind: 'dms', base_url: `${context.second.url}/`, token_secret: 'second_token' };
  const perPage = { source: 'ADF', resolution: 100, assembly: { page_grouping: 'per_page' } };
  const loaded = appliance.service.nextLine(/"profiles":\[.*both.*half/);
  await appliance.writeProfile({ name: 'both', ...perPage, destinations: [first, second] });
  await appliance.writeProfile({
    name: 'half',
    ...perPage,
    destinations: [{ ...first, base_url: 'http://127.0.0.1:9' }, second],
  });
  await loaded;
});

test.after(async ({ appliance, second }) => {
  await second.close();
  await appliance.close();
});

function stack(appliance: Appliance): void {
  const blank = shippedPage('blank-back-plain').file;
  appliance.scanner.load(Array.from({ length: DOCUMENTS }, () => blank));
}

test('10 documents for 2 destinations are 20 uploads, strictly one after the other, in order', async ({
  appliance,
  second,
}) => {
  stack(appliance);
  const answer = await appliance.scan({ profile: 'both' });
  assert.is(answer.status, 200, answer.text);
  const result = answer.json as unknown as ScanResult;
  assert.is(result.documents.length, DOCUMENTS);

  const uploads = [...appliance.dms.uploads(), ...second.uploads()].toSorted(
    (a, b) => a.started_ms - b.started_ms,
  );
  assert.is(uploads.length, 2 * DOCUMENTS);
  for (const [index, upload] of uploads.entries()) {
    const next = uploads[index + 1];
    if (next) assert.ok((upload.ended_ms ?? Infinity) <= next.started_ms, `upload ${index}`);
  }
  const expected = result.documents.flatMap(({ destinations }) =>
    destinations.map((entry) => (entry.status === 'submitted' ? entry.task_id : entry.error)),
  );
  assert.equal(
    uploads.map(({ task_id }) => task_id),
    expected,
  );
  for (const [index, document] of result.documents.entries()) {
    assert.equal(document.pages, [index + 1]);
    assert.is(uploads[2 * index]?.sha256, document.sha256);
    assert.is(uploads[2 * index + 1]?.sha256, document.sha256);
  }
});

test('with one destination down, its 10 entries say why and the other 10 are submitted', async ({
  appliance,
  second,
}) => {
  const before = second.uploads().length;
  stack(appliance);
  const answer = await appliance.scan({ profile: 'half' });
  assert.is(answer.status, 200, answer.text);
  const { documents } = answer.json as unknown as ScanResult;
  assert.is(documents.length, DOCUMENTS);
  for (const { destinations } of documents) {
    assert.is(destinations.length, 2);
    const [down, up] = destinations;
    assert.equal(Object.keys(down ?? {}), ['status', 'error']);
    assert.is(down?.status, 'failed');
    assert.match(down?.status === 'failed' ? down.error : '', /refused.*127\.0\.0\.1:9/);
    assert.equal(Object.keys(up ?? {}), ['status', 'task_id']);
    assert.is(up?.status, 'submitted');
  }
  assert.is(second.uploads().length - before, DOCUMENTS);
});

test('a token is read at each delivery: a wrong one fails and says which secret, a corrected one works', async ({
  appliance,
}) => {
  const secret = path.join(appliance.directory, 'secrets/dms_api_token');
  await writeFile(secret, 'wrong-token');
  appliance.scanner.load([shippedPage('blank-back-plain').file]);
  const failed = (await appliance.scan({ profile: 'one' })).json as unknown as ScanResult;
  const entry = failed.documents[0]?.destinations[0];
  assert.match(entry?.status === 'failed' ? entry.error : '', /401 Invalid token.*dms_api_token/);
  assert.not.match(JSON.stringify(failed), /wrong-token/);

  await writeFile(secret, DMS_TOKEN);
  appliance.scanner.load([shippedPage('blank-back-plain').file]);
  const good = (await appliance.scan({ profile: 'one' })).json as unknown as ScanResult;
  assert.is(good.documents[0]?.destinations[0]?.status, 'submitted');
});

test.run();
