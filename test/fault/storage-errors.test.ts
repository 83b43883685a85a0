import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Failure } from '../../helpers/failure.ts';
import { withFixture } from '../support/with-fixture.ts';
import { within } from '../support/within.ts';
import { interceptFileOperations } from './storage-support/file-operations.ts';
import { checkRecovery, KEY, outcome } from './storage-support/invariants.ts';
import { filesLeftOpen } from '../support/open-files.ts';
import { createStorageBench } from './storage-support/storage-bench.ts';
import { failing, SYSTEM_ERRORS, type SystemErrorCode } from './storage-support/system-errors.ts';
import { watchRejections } from './storage-support/unhandled-rejections.ts';

const withFaults = await interceptFileOperations();

const test = withFixture(suite('an error of the disk at each file operation of a scan'), () =>
  createStorageBench(),
);

/** Far longer than a scan of two small pages takes, on a machine that is busy. */
const SCAN_MS = 20_000;

/** A scan has far more operations; with fewer, the interception has lost its hold. */
const FEWEST_OPERATIONS = 150;

interface Kind {
  readonly title: string;
  /** The operation fails, and those after it do too. */
  readonly lasting: boolean;
  readonly codeAt: (operation: number) => SystemErrorCode;
}

/** Every operation meets each way to fail; which of the other errors it meets is its turn. */
const KINDS: readonly Kind[] = [
  { title: 'a full disk, once', lasting: false, codeAt: () => 'ENOSPC' },
  {
    title: 'another error, once',
    lasting: false,
    codeAt: inTurn(['EIO', 'EACCES', 'EMFILE', 'EROFS']),
  },
  { title: 'an error from then on', lasting: true, codeAt: inTurn(SYSTEM_ERRORS) },
];

function inTurn(codes: readonly SystemErrorCode[]): (operation: number) => SystemErrorCode {
  return (operation) => codes[operation % codes.length] ?? 'EIO';
}

for (const { title, lasting, codeAt } of KINDS) {
  test(`${title}: what is finished is kept, told, and filed once`, async (bench) => {
    const rejections = watchRejections();
    let at = 1;
    for (let hit = true; hit; at += 1) {
      hit = false;
      const faulty = bench.newCase();
      const code = codeAt(at);
      const around = failing(code, { at, lasting }, () => {
        hit = true;
      });
      const scan = withFaults(faulty.root, around, () => outcome(faulty.start().scan(KEY)));
      const what = `${code} at operation ${at}`;
      const answer = await within(SCAN_MS, scan, `the answer with ${what}`);
      if (answer instanceof Failure) {
        assert.is(answer.code, 'insufficient_storage', `${what}: ${String(answer.cause)}`);
      }
      await checkRecovery(bench, faulty, what);
      assert.equal(rejections.seen(), [], `${what}: nothing that would end the service`);
      faulty.remove();
    }
    rejections.stop();
    assert.equal(await filesLeftOpen(bench.disk.path), [], 'every file is closed again');
    assert.ok(at > FEWEST_OPERATIONS, `only ${at} operations`);
  });
}

test.run();
