import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { peakMb, residentMb, resetPeak } from '../bench/process-tree.ts';
import { startDeployedAppliance } from '../bench/service/deployed-appliance.ts';
import { startStandIn } from '../bench/service/stand-in-processor.ts';
import { shippedPage } from '../support/pages.ts';
import { withFixture } from '../support/with-fixture.ts';

/** A document of some hundred colour pages. */
const DOCUMENT_BYTES = 300_000_000;

/** The goal is 150 at rest. */
const MOST_MB = 180;

/** A tenth of the document; about 15 MB are seen. */
const MOST_ADDED_MB = 30;

/** The real service with the settings of its image, and a stand-in for the processor that makes documents large. */
const test = withFixture(suite('memory of the service'), async () => {
  const processor = await startStandIn(DOCUMENT_BYTES);
  const appliance = await startDeployedAppliance({
    profiles: [{ name: 'default', source: 'ADF', resolution: 100, page_size: 'a5' }],
    serviceEnvironment: { PROCESSOR_URL: processor.url.href, LOG_LEVEL: 'info' },
  });
  const close = async (): Promise<void> => {
    await appliance.close();
    await processor.close();
  };
  return { appliance, close };
});

test('does not grow with a document that is received, stored and delivered', async ({
  appliance,
}) => {
  const { service, scanner, dms } = appliance;
  const before = residentMb(service.pid());
  resetPeak(service.pid());
  scanner.load([shippedPage('receipt').file]);
  const { status, text } = await appliance.scan({});
  const peak = peakMb(service.pid());
  assert.is(status, 200, text);
  assert.is(dms.uploads().at(-1)?.bytes, DOCUMENT_BYTES);
  assert.ok(peak < MOST_MB, `${peak} MB`);
  assert.ok(peak - before < MOST_ADDED_MB, `${before} MB before, ${peak} MB at most`);
});

test.run();
