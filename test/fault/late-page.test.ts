import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { assert, suite } from '../support/suite.ts';
import { BLANK_PAGE, brokenAccount } from './support/invariants.ts';
import { startFaultBench, type FaultBench } from './support/fault-bench.ts';

const test = suite<{ bench: FaultBench }>(
  'a service that is back before the sheet on its way is scanned',
);

test.before(async (context) => {
  // A sheet takes three seconds, as with a real scanner: the service is back sooner.
  context.bench = await startFaultBench({ scanner: { pagesPerMinute: 20 } });
});

test.after(({ bench }) => bench.close());

test('resume files that sheet too, or is refused until it is safe', async ({ bench }) => {
  const { service, scanner, scansDir } = bench.appliance;
  scanner.load([BLANK_PAGE, BLANK_PAGE, BLANK_PAGE]);
  const first = service.nextLine(/"event":"scan_page".*"page":1,/);
  const lost = bench.scan();
  const { scan_id: id } = JSON.parse(await first) as { scan_id: string };
  await service.stop('SIGKILL');
  await service.start();
  await lost;
  await bench.resume(id);
  await bench.appliance.untilScannerFree();
  await bench.resume(id);
  const directory = path.join(scansDir, id);
  assert.ok((await readdir(directory)).includes('page-0002.tif'), 'the second sheet went through');
  assert.equal(await brokenAccount(directory), []);
});
