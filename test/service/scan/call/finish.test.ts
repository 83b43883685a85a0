import { rm } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Failure } from '../../../../helpers/failure.ts';
import type { OpenScan } from '../../../../service/archive/open-scan.ts';
import { createDeadline } from '../../../../service/scan/deadline.ts';
import { finish } from '../../../../service/scan/call/finish.ts';
import type { StageClock } from '../../../../service/scan/scan.ts';
import type { ScanResult } from '../../../../service/archive/scan-view.ts';
import type { Scan } from '../../../../service/scan/scan.ts';
import { failure } from '../../../support/rejection.ts';
import { STORED_ID, storeScan } from '../../../support/stored-scan.ts';
import { withFixture } from '../../../support/with-fixture.ts';
import { createScanBench, type ScanBench } from './scan-bench.ts';

interface Fixture extends ScanBench {
  /** Finishes the stored scan, which has two pages and came half a second ago. */
  readonly end: (
    stages: (scan: Scan, clock: StageClock) => Promise<void>,
    change?: (open: OpenScan) => OpenScan,
  ) => Promise<ScanResult>;
  readonly directory: string;
}

const test = withFixture<Fixture>(suite('the end of a scan'), async () => {
  const bench = await createScanBench();
  const directory = await storeScan(bench.root);
  const { archive } = await bench.start();
  return {
    ...bench,
    directory,
    end: async (stages, change = (open) => open) => {
      const open = change(await archive.open(STORED_ID));
      const deadline = createDeadline(10, performance.now() - 500);
      const { signal: stop } = new AbortController();
      const call = { id: STORED_ID, deadline, stop, log: bench.logged.log };
      const outcome = await finish(call, open, stages);
      if (outcome instanceof Failure) throw outcome;
      return outcome;
    },
  };
});

const STUCK = new Failure('scanner_jammed', 'Stuck.');

const someTime = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 30));

test('is recorded, with the time of the call and of each stage it went through', async ({
  end,
  stored,
}) => {
  const result = await end(async (_, clock) => {
    await clock('process', someTime);
    await clock('deliver', () => Promise.resolve());
  });
  assert.ok(result.duration_ms >= 530, String(result.duration_ms));
  assert.ok(result.timings_ms.process >= 25);
  // The earlier call scanned.
  assert.is(result.timings_ms.scan, 19_000);
  const record = await stored(STORED_ID);
  assert.is(record.state, 'finished');
  assert.is(record.error, null);
  assert.is(record.duration_ms, result.duration_ms);
  assert.equal(record.timings_ms, result.timings_ms);
  assert.ok(Date.parse(String(record.ended_at)) > Date.parse(record.started_at));
});

test('has the time of a stage that failed too', async ({ end, stored }) => {
  const ended = end((_, clock) =>
    clock('process', async () => {
      await someTime();
      throw new Failure('processing_failed', 'No.');
    }),
  );
  await failure('processing_failed', ended);
  const { state, error, timings_ms } = await stored(STORED_ID);
  assert.is(state, 'failed');
  assert.equal(error, { error: 'processing_failed', message: 'No.' });
  assert.ok(timings_ms.process >= 25);
});

test('does not replace the jam where it cannot be written', async ({ end, logged }) => {
  const full = Object.assign(new Error('no space'), { code: 'ENOSPC' });
  const ended = end(
    (_, clock) => clock('scan', () => Promise.reject(STUCK)),
    (open) => ({ ...open, end: () => Promise.reject(full) }),
  );
  const error = await failure('scanner_jammed', ended);
  assert.is(error.facts['page_count'], 2);
  assert.match(logged.text(), /"event":"end_not_recorded"/);
});

test('is a failure where the last event of a scan that went well cannot be written', async ({
  end,
}) => {
  const full = Object.assign(new Error('no space'), { code: 'ENOSPC' });
  const ended = end(
    () => Promise.resolve(),
    (open) => ({ ...open, end: () => Promise.reject(full) }),
  );
  await failure('insufficient_storage', ended);
});

test('counts the pages that are still on disk, and promises no others', async ({
  directory,
  end,
}) => {
  const losing = (name: string) => async (): Promise<void> => {
    await rm(path.join(directory, name), { recursive: true });
    throw STUCK;
  };
  const one = await failure('scanner_jammed', end(losing('page-0002.tif')));
  assert.is(one.facts['page_count'], 1);
  assert.match(one.message, /1 page is stored/);
  const none = await failure('scanner_jammed', end(losing('')));
  assert.is(none.facts['page_count'], 0);
  assert.is(none.message, 'Stuck.');
});

test.run();
