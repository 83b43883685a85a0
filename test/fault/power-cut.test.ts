import { readdirSync } from 'node:fs';
import path from 'node:path';
import { readStoredRecord } from '../support/stored-record.ts';
import { SCAN_ID } from '../../service/archive/scan-id.ts';
import { assert, withFixture } from '../support/suite.ts';
import { runUntilDeath, watchDurableFiles } from './storage-support/dying.ts';
import { interceptFileOperations, type Around } from './storage-support/file-operations.ts';
import { checkRecovery, KEY, outcome } from './storage-support/invariants.ts';
import {
  createStorageBench,
  type Service,
  type StorageBench,
  type StorageCase,
} from './storage-support/storage-bench.ts';

/** Unlike the death of a process, a power cut also loses writes that were not synced. */
const test = withFixture('a power cut', () => createStorageBench());

const withFaults = await interceptFileOperations();

/**
 * Fewer operations mean that interception is broken. A scan has 184, or 137 on a busy machine, which
 * batches events.
 */
const FEWEST = 100;

const SHEETS = 6;

/** Calls `onUpload` after the headers of each upload, and again after its body. */
async function scanStack(
  { dms }: StorageBench,
  { root, scanner, start }: StorageCase,
  { around, onUpload }: { around: Around; onUpload: (directory: string) => void },
): Promise<void> {
  const received = (): void => {
    const id = readdirSync(root).find((name) => SCAN_ID.test(name)) ?? '';
    onUpload(path.join(root, id));
  };
  dms.events.on('upload_started', received).on('body_received', received);
  scanner.sheets = SHEETS;
  await withFaults(root, around, () => start().scan());
}

test('during delivery, the disk has every started upload and the outcome of earlier ones', async (bench) => {
  const scan = bench.newCase();
  const { around, restore } = watchDurableFiles();
  const restored: string[] = [];
  const onUpload = (directory: string): void => {
    const target = path.join(scan.root, `restored-${restored.length}`, path.basename(directory));
    restore(directory, target);
    restored.push(target);
  };
  await scanStack(bench, scan, { around, onUpload });
  const seen = await Promise.all(
    restored.map(async (directory) =>
      (await readStoredRecord(directory)).documents.map(({ outcomes }) => outcomes[0]),
    ),
  );
  const expected = Array.from({ length: SHEETS }, (_, upload) => [
    ...Array.from({ length: upload }, () => 'accepted'),
    'unknown',
    ...Array.from({ length: SHEETS - upload - 1 }, () => undefined),
  ]);
  assert.equal(
    seen,
    expected.flatMap((outcomes) => [outcomes, outcomes]),
  );
  scan.remove();
});

test('afterwards a new service loses and duplicates nothing, wherever it struck', async (bench) => {
  let at = 1;
  for (let struck = true; struck; at += 1) {
    const scan = bench.newCase();
    const { around, cut } = watchDurableFiles();
    const work = (service: Service): Promise<unknown> => outcome(service.scan(KEY));
    struck = await runUntilDeath({
      withFaults,
      bench,
      faulty: scan,
      at,
      moment: 'after',
      around,
      work,
    });
    if (struck) cut(scan.root);
    await checkRecovery(bench, scan, `power cut after operation ${at}`);
    scan.remove();
  }
  assert.ok(at > FEWEST, `only ${at} operations`);
});

test('between two uploads there is one write and one sync, however long the record', async (bench) => {
  const scan = bench.newCase();
  const moments: string[][] = [[]];
  const around: Around = async ({ name, path: file }, { whole }) => {
    // Reads of documents do not count; during delivery, nothing writes them.
    if (!file.endsWith('.pdf')) moments.at(-1)?.push(`${name} ${path.basename(file)}`);
    return whole();
  };
  await scanStack(bench, scan, { around, onUpload: () => moments.push([]) });
  const between = moments.slice(1, 2 * SHEETS).filter((operations) => operations.length > 0);
  assert.equal(
    between,
    Array.from({ length: SHEETS - 1 }, () => [
      'stat events.jsonl',
      'handle.write events.jsonl',
      'handle.datasync events.jsonl',
    ]),
  );
  scan.remove();
});
