import type { RecordedPage } from '../../service/archive/scan-record.ts';
import type { ScanResult } from '../../service/archive/scan-view.ts';
import { Failure } from '../../helpers/failure.ts';
import { pagesOf } from '../service/documents/stack.ts';
import { createScanBench, type ScanBench } from '../service/scan/call/scan-bench.ts';
import { feedPages } from '../support/scan-parts.ts';
import { assert, suite, withFixture } from '../support/suite.ts';
import { BLANK_PAGE } from './support/invariants.ts';
import { withFaultBench, type FaultBench } from './support/fault-bench.ts';
import {
  failing,
  interceptFileOperations,
  SYSTEM_ERRORS,
} from './storage-support/file-operations.ts';
import { outcome } from './storage-support/invariants.ts';

const withFaults = await interceptFileOperations();

const killed = suite<{ bench: FaultBench }>(
  'a service that is killed while a page is scanned again',
);

// A sheet takes 250 ms, so that the service can be killed before it is scanned.
withFaultBench(killed, { scanner: { pagesPerMinute: 240 } });

interface PageStates {
  readonly state: string;
  readonly page_states: readonly { readonly page: number; readonly dropped: string | null }[];
}

for (const [event, isReplaced] of [
  ['resumed', false],
  ['page', false],
  ['replaced', true],
  ['recognized', true],
] as const) {
  killed(
    `after the event ${event}: the scan has the ${isReplaced ? 'new' : 'old'} page`,
    async ({ bench }) => {
      const { appliance } = bench;
      const { scanner, service } = appliance;
      scanner.load([BLANK_PAGE, BLANK_PAGE]);
      const held = await bench.scan({ hold: true });
      const id = String(held.answer?.json?.['scan_id']);
      scanner.load([BLANK_PAGE]);
      const line = service.nextLine(new RegExp(`"event":"scan_${event}"`));
      const again = (): ReturnType<FaultBench['scan']> =>
        bench.scan({ continue_scan: id, replaces: 2 }, { 'Idempotency-Key': `k-${id}` });
      const lost = again();
      await line;
      await service.stop('SIGKILL');
      await lost;
      await service.start();
      const shown = (await appliance.get(`/scans/${id}`)).json as unknown as PageStates;
      const states = shown.page_states.map(({ page, dropped }) => [page, dropped]);
      const old = [
        [1, null],
        [2, null],
      ];
      const replaced = [
        [1, null],
        [2, 'replaced'],
        [3, null],
      ];
      assert.equal([shown.state, states], ['held', isReplaced ? replaced : old]);
      await appliance.untilScannerFree();
      // A sheet may have moved, so a call with the same key feeds none.
      scanner.load([BLANK_PAGE]);
      const repeated = await again();
      // `recognized` is the last event: the call may end before the kill, and repeats its answer.
      const hasEnded = event === 'recognized' && repeated.answer?.status === 200;
      if (hasEnded) {
        assert.equal(repeated.answer?.json?.['dropped_pages'], [{ page: 2, reason: 'replaced' }]);
      } else {
        assert.is(repeated.answer?.json?.['error'], 'scan_interrupted', repeated.answer?.text);
      }
      assert.is(scanner.state.sheetsLeft, 1);
      const filed = await bench.resume(id);
      const result = filed.answer?.json as unknown as ScanResult;
      assert.equal(pagesOf(result), [isReplaced ? [1, 3] : [1, 2]], filed.answer?.text);
      const files = await appliance.files(id);
      const isNamed =
        !files.includes('page-0003.tif') || /page-0003\.tif/.test(result.warnings.join());
      assert.ok(isReplaced || isNamed, 'a page that was scanned is named');
    },
  );
}

const disk = withFixture<ScanBench>('a disk that fails while a page is scanned again', () =>
  createScanBench(),
);

for (const lasting of [false, true]) {
  const until = lasting ? 'from then on' : 'once';
  disk(
    `at any operation, ${until}: only the page named in the answer is filed, once`,
    async (bench) => {
      let at = 1;
      for (let hit = true; hit; at += 1) {
        hit = false;
        const feeds = [feedPages(2), feedPages(1)];
        const faulty = await bench.start({
          feed: (request, options) => (feeds.shift() ?? feedPages(0))(request, options),
        });
        const { scan_id: id } = await faulty.scans.scan({ ...bench.call(), hold: true });
        const code = SYSTEM_ERRORS[at % SYSTEM_ERRORS.length] ?? 'EIO';
        const what = `${code} at operation ${at}`;
        const around = failing(code, { at, lasting }, () => {
          hit = true;
        });
        const answer = await withFaults(bench.root, around, () =>
          outcome(faulty.scans.scanPageAgain(id, { replaces: 2 })),
        );
        const { scans, archive } = await bench.start();
        const { record } = await archive.find(id);
        assert.is(record.state, 'held', what);
        const isReplaced = record.pages.some(
          ({ number, replaced }: RecordedPage) => number === 2 && replaced,
        );
        if (!(answer instanceof Failure)) assert.is(isReplaced, true, what);
        assert.equal(pagesOf(await scans.resume(id)), [isReplaced ? [1, 3] : [1, 2]], what);
      }
      assert.ok(at > 20, `only ${at} operations`);
    },
  );
}
