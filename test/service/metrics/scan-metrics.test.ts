import { rm } from 'node:fs/promises';
import { Registry } from '@prometheus-io/client';
import { createScanMetrics } from '../../../service/metrics/scan-metrics.ts';
import { assert, rejection, withFixture } from '../../support/suite.ts';
import { createScanBench, type ScanBench } from '../scan/call/scan-bench.ts';

const test = withFixture<ScanBench>('what is measured of scans', () => createScanBench());

test('a scan whose end cannot be recorded feeds no paper any more', async (bench) => {
  const registry = new Registry();
  const { listener, closed: onClosed } = createScanMetrics(registry);
  const feeding: string[] = [];
  const look = async (): Promise<void> => {
    feeding.push(/^scan_service_feeding (\d)$/m.exec(await registry.metrics())?.[1] ?? 'none');
  };
  const { scans } = await bench.start(
    {
      feed: async ({ directory }) => {
        await look();
        await rm(directory, { recursive: true });
        throw new Error('The disk is gone.');
      },
    },
    { listener, onClosed },
  );
  await rejection(scans.scan(bench.call()));
  await look();
  assert.equal(feeding, ['1', '0']);
});
