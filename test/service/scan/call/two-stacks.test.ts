import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createWorkerPool } from '../../../../helpers/processor/tools/worker-pool.ts';
import type { ScanListener } from '../../../../service/archive/scan-record.ts';
import { feedPages, type PartFaults } from '../../../support/scan-parts.ts';
import { withFixture } from '../../../support/with-fixture.ts';
import { createScanBench, type ScanBench } from './scan-bench.ts';

const test = withFixture<ScanBench>(suite('two stacks'), createScanBench);

test('share the processor: a short one is not behind all of a long one', async (bench) => {
  const counts = [40, 4];
  const pool = createWorkerPool(2);
  /** The scan of each page, in the order in which they are recognised. */
  const recognized: string[] = [];
  const { promise: fed, resolve: stopped } = Promise.withResolvers<void>();
  const listener: ScanListener = ({ type }) => (type === 'fed' ? stopped() : undefined);
  const faults: PartFaults = {
    feed: (request, options) => feedPages(counts.shift() ?? 0)(request, options),
    recognize: (pageFile, signal) =>
      pool.run(signal, 0, async () => {
        // The stack of the first scan stays with the processor until the second one has come.
        await fed;
        await new Promise((resolve) => setImmediate(resolve));
        recognized.push(path.basename(path.dirname(pageFile)));
      }),
  };
  const { scans } = await bench.start(faults, { listener });
  const long = scans.scan(bench.call());
  await fed;
  const [{ scan_id: id }, { page_count }] = await Promise.all([scans.scan(bench.call()), long]);
  assert.is(page_count, 40);
  assert.is(recognized.length, 44);
  const last = recognized.lastIndexOf(id);
  assert.ok(last < 20, `the last page of the short stack was the ${last + 1}th`);
});

test.run();
