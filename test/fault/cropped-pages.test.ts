import { messageOf } from '../../helpers/error-code.ts';
import { Failure } from '../../helpers/failure.ts';
import type { PageEdit } from '../../service/archive/scan-event.ts';
import { createScanBench, type ScanBench } from '../service/scan/call/scan-bench.ts';
import { feedPages } from '../support/scan-parts.ts';
import { assert, withFixture } from '../support/suite.ts';
import { failing, interceptFileOperations } from './storage-support/file-operations.ts';

const withFaults = await interceptFileOperations();

const test = withFixture<ScanBench>('a disk that fails while a page is cropped', () =>
  createScanBench(),
);

/** Error codes of a failed edit: the disk may also fail while the record is read. */
const CODES = ['insufficient_storage', 'scan_record_unreadable'];
const CROP = { x: 0.1, y: 0.05, width: 0.5, height: 0.4, angle: 1.5 };

for (const code of ['ENOSPC', 'EIO', 'EROFS'] as const) {
  test(`${code} at any operation: the crop matches the answer, and the next crop works`, async (bench) => {
    let at = 1;
    for (let hit = true; hit; at += 1) {
      hit = false;
      const { scans } = await bench.start({ feed: feedPages(1) });
      const { scan_id: id } = await scans.scan({ ...bench.call(), hold: true });
      const edit: PageEdit = { crop: CROP };
      const around = failing(code, { at, lasting: true }, () => {
        hit = true;
      });
      const failed = await withFaults(bench.root, around, () =>
        scans.editPage(id, 1, edit).then(
          () => undefined,
          (error: unknown) => error,
        ),
      );
      const what = `${code} at operation ${at}`;
      if (failed !== undefined) {
        assert.ok(
          failed instanceof Failure && CODES.includes(failed.code),
          `${what}: ${messageOf(failed)}`,
        );
      }
      const restarted = await bench.start();
      const { record } = await restarted.archive.find(id);
      assert.is(record.state, 'held', what);
      if (failed === undefined) assert.equal(record.pages[0]?.crop, CROP, what);
      const { page_states } = await restarted.scans.editPage(id, 1, edit);
      assert.equal(page_states[0]?.crop, CROP, what);
    }
    assert.ok(at > 5, `only ${at} operations`);
  });
}
