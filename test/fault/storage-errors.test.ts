import { Failure } from '../../helpers/failure.ts';
import { DEFAULT_REDELIVERY } from '../../service/archive/upload-decision.ts';
import { filesLeftOpen } from '../support/processes.ts';
import { assert, EVENT_MS, failure, withFixture, within } from '../support/suite.ts';
import {
  type Around,
  failing,
  interceptFileOperations,
  SYSTEM_ERRORS,
  systemError,
  type SystemErrorCode,
} from './storage-support/file-operations.ts';
import { checkRecovery, KEY, outcome } from './storage-support/invariants.ts';
import {
  createStorageBench,
  SHEETS,
  type Service,
  type StorageBench,
  type StorageCase,
} from './storage-support/storage-bench.ts';

const withFaults = await interceptFileOperations();

const test = withFixture('a disk that fails at a file operation', () => createStorageBench());

interface Sweep {
  readonly codes: readonly SystemErrorCode[];
  readonly lasting?: boolean;
  /** Fewer operations mean that interception is broken. */
  readonly fewest: number;
  readonly prepare?: (faulty: StorageCase) => Promise<string>;
  readonly work: (service: Service, prepared: string) => Promise<unknown>;
}

/**
 * Fails each operation of `work` in a scan of its own. Finished pages must be kept, reported and
 * filed once.
 */
async function sweep(
  bench: StorageBench,
  { codes, lasting = false, fewest, prepare, work }: Sweep,
): Promise<void> {
  const rejections: unknown[] = [];
  const take = (reason: unknown): void => void rejections.push(reason);
  process.on('unhandledRejection', take);
  let at = 1;
  for (let hit = true; hit; at += 1) {
    hit = false;
    const faulty = bench.newCase();
    const prepared = (await prepare?.(faulty)) ?? '';
    const code = codes[at % codes.length] ?? 'EIO';
    const what = `${code} at operation ${at}`;
    const around = failing(code, { at, lasting }, () => {
      hit = true;
    });
    const run = withFaults(faulty.root, around, () => work(faulty.start(), prepared));
    const answer = await within(EVENT_MS, run, `the answer with ${what}`);
    if (answer instanceof Failure) {
      const isTold = answer.code === 'insufficient_storage';
      // A scan prepared earlier may also fail because its record is unreadable.
      const isUnread = prepare !== undefined && answer.code === 'scan_record_unreadable';
      assert.ok(isTold || isUnread, `${what}: ${answer.code} ${String(answer.cause)}`);
    }
    await checkRecovery(bench, faulty, what);
    assert.equal(rejections, [], `${what}: nothing that would end the service`);
    faulty.remove();
  }
  process.off('unhandledRejection', take);
  assert.equal(await filesLeftOpen(bench.disk.path), [], 'every file is closed again');
  assert.ok(at > fewest, `only ${at} operations`);
}

/** For a disk that fills up within a file, see fault/disk-full. */
const SCANNING: Sweep = {
  codes: SYSTEM_ERRORS,
  fewest: 100,
  work: (service) => outcome(service.scan(KEY)),
};

const SWEEPS: Readonly<Record<string, Sweep>> = {
  'a scan, and an error once': { ...SCANNING, lasting: false },
  'a scan, and an error from then on': { ...SCANNING, lasting: true },
  'a scan that is taken up again, and an error once': {
    codes: ['EIO', 'EMFILE'],
    fewest: 35,
    prepare: jammedScan,
    work: (service, id) => outcome(service.resume(id, DEFAULT_REDELIVERY)),
  },
};

for (const [title, one] of Object.entries(SWEEPS)) {
  test(`${title}: finished work is kept, reported, and filed once`, (bench) => sweep(bench, one));
}

async function jammedScan({ scanner, start }: StorageCase): Promise<string> {
  const whole = scanner.scan;
  scanner.scan = async (request, options) => {
    await whole(request, options);
    const facts = { page_count: SHEETS, warnings: [], duplex: false };
    throw new Failure('scanner_jammed', 'Paper is jammed.', { facts });
  };
  const jam = await failure('scanner_jammed', start().scan(KEY));
  scanner.scan = whole;
  return String(jam.facts['scan_id']);
}

test('an unreadable page fails the scan before anything is filed, and the answer names it', async (bench) => {
  const faulty = bench.newCase();
  const id = await jammedScan(faulty);
  const resumed = withFaults(
    faulty.root,
    async (operation, { whole }) => {
      const isRead = operation.name === 'handle.read' && operation.path.endsWith('page-0002.tif');
      if (isRead) throw systemError('EIO', operation);
      return whole();
    },
    () => failure('insufficient_storage', faulty.start().resume(id, DEFAULT_REDELIVERY)),
  );
  assert.match((await resumed).message, /^page-0002\.tif of the scan cannot be read \(EIO\)/);
  await checkRecovery(bench, faulty, 'a page that cannot be read');
  faulty.remove();
});

test('after an unreadable and unannounced page, its call never feeds again, and the warnings of the feeder are kept', async (bench) => {
  const faulty = bench.newCase();
  const { scanner } = faulty;
  const whole = scanner.scan;
  const warnings = ['1 sheet may have passed through the feeder.'];
  scanner.scan = async (request, options) => {
    await whole(request, { ...options, onPage: () => {} });
    const facts = { page_count: 0, warnings, duplex: false };
    throw new Failure('scanner_jammed', 'Paper is jammed.', { facts });
  };
  const unreadable: Around = async (operation, { whole: run }) => {
    const isPage = operation.path.endsWith('page-0001.tif');
    if (isPage && operation.name === 'handle.read') throw systemError('EIO', operation);
    return run();
  };
  const call = (): Promise<unknown> => faulty.start().scan(KEY);
  const jam = await withFaults(faulty.root, unreadable, () => failure('scanner_jammed', call()));
  assert.equal(jam.facts['warnings'], warnings);
  scanner.scan = whole;
  const fed = scanner.sheetsFed();
  await withFaults(faulty.root, unreadable, () => failure('insufficient_storage', call()));
  assert.is(scanner.sheetsFed(), fed);
  await checkRecovery(bench, faulty, 'a page that cannot be read, and was not announced');
  faulty.remove();
});

test('a page that could not be recorded is reported, and its call never feeds again', async (bench) => {
  const faulty = bench.newCase();
  const { scanner } = faulty;
  const whole = scanner.scan;
  // As in the scanner runtime, the call ends once the feeder has stopped after the first sheet.
  scanner.scan = async (request, options) => {
    scanner.sheets = 1;
    await whole(request, options);
    const stopped = Promise.withResolvers<void>();
    options.signal.addEventListener('abort', () => stopped.resolve());
    if (!options.signal.aborted) await stopped.promise;
    throw options.signal.reason;
  };
  let isFull = false;
  const first = await withFaults(
    faulty.root,
    async (operation, performance) => {
      if (isFull && operation.name.startsWith('handle.write')) {
        throw systemError('ENOSPC', operation);
      }
      const result = await performance.whole();
      // After this sync the first sheet moves, and the disk is full.
      isFull ||= operation.name === 'handle.datasync';
      return result;
    },
    () => failure('insufficient_storage', faulty.start().scan(KEY)),
  );
  assert.is(first.facts['page_count'], 1);
  assert.match(first.message, /1 page is stored: POST \/scans\/\S+\/resume files what is there/);
  scanner.scan = whole;
  scanner.sheets = SHEETS;
  await checkRecovery(bench, faulty, 'a page that could not be written down');
  faulty.remove();
});
