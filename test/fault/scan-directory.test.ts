import { existsSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { assert, failure, withFixture } from '../support/suite.ts';
import {
  type Around,
  type FileOperation,
  interceptFileOperations,
  systemError,
} from './storage-support/file-operations.ts';
import { checkRecovery, KEY } from './storage-support/invariants.ts';
import { createStorageBench } from './storage-support/storage-bench.ts';

/**
 * For links and unreadable files, see service/archive (archive, stored-files) and
 * service/scan/call/scans.
 */
const test = withFixture('a scan directory changed by others', () => createStorageBench());

const withFaults = await interceptFileOperations();

function changes({ name, path: file }: FileOperation): boolean {
  if (name === 'open') return !existsSync(file);
  return /^(?:handle\.(?:write|truncate)|mkdir|rename|rm|unlink)/.test(name);
}

function scanDirectory(root: string): string {
  const [id] = readdirSync(root).filter((name) => !name.startsWith('.'));
  return path.join(root, id ?? '');
}

test('read-only: is refused before feeding', async (bench) => {
  const faulty = bench.newCase();
  await bench.disk.setReadOnly(true);
  try {
    const { message } = await failure('insufficient_storage', faulty.start().scan(KEY));
    assert.match(message, '(EROFS). Nothing was fed. It is on a read-only');
    assert.is(faulty.scanner.sheetsFed(), 0);
  } finally {
    await bench.disk.setReadOnly(false);
  }
  await checkRecovery(bench, faulty, 'read-only');
});

test('read-only from a page on: is reported, and resume continues once it is writable', async (bench) => {
  const faulty = bench.newCase();
  let isReadOnly = false;
  faulty.scanner.onSheet = (number) => (isReadOnly = number === 2);
  // Simulated, since Linux refuses to remount while files are open. A disk error makes a file
  // system read-only even then.
  const around: Around = (operation, { whole }) =>
    isReadOnly && changes(operation) ? Promise.reject(systemError('EROFS', operation)) : whole();
  const { message } = await withFaults(faulty.root, around, () =>
    failure('insufficient_storage', faulty.start().scan(KEY)),
  );
  assert.match(message, 'read-only');
  await checkRecovery(bench, faulty, 'read-only from a page on');
});

test('missing: is created again', async (bench) => {
  const faulty = bench.newCase();
  rmSync(faulty.root, { recursive: true });
  assert.is((await faulty.start().scan(KEY)).page_count, 2);
  await checkRecovery(bench, faulty, 'missing');
});

test('that is a file: is refused before feeding', async (bench) => {
  const faulty = bench.newCase();
  rmSync(faulty.root, { recursive: true });
  writeFileSync(faulty.root, '');
  await failure('insufficient_storage', faulty.start().scan());
  assert.is(faulty.scanner.sheetsFed(), 0);
});

for (const moment of ['page', 'recognized page', 'document', 'delivery'] as const) {
  test(`removed at a ${moment}: is reported, and the next scan works`, async (bench) => {
    const faulty = bench.newCase();
    const remove = (): void => {
      const directory = scanDirectory(faulty.root);
      if (existsSync(directory)) renameSync(directory, path.join(bench.disk.path, 'taken-away'));
    };
    const { scanner } = faulty;
    if (moment === 'page') scanner.onSheet = (number) => number === 2 && remove();
    if (moment === 'recognized page') bench.processor.onRequest = remove;
    if (moment === 'document')
      bench.processor.onRequest = (kind) => kind === 'documents' && remove();
    if (moment === 'delivery') bench.dms.events.once('body_received', remove);
    const service = faulty.start();
    const { message, facts } = await failure('insufficient_storage', service.scan());
    assert.match(message, 'Check whether it was removed');
    assert.not.match(message, 'stored');
    assert.is(facts['page_count'], 0);
    scanner.onSheet = () => {};
    bench.processor.onRequest = () => {};
    rmSync(path.join(bench.disk.path, 'taken-away'), { recursive: true });
    assert.is((await service.scan()).page_count, 2);
  });
}
