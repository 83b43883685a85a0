import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Failure } from '../../../helpers/failure.ts';
import { readStoredRecord, type StoredRecord } from '../../support/stored-record.ts';
import { DEFAULT_REDELIVERY } from '../../../service/archive/upload-decision.ts';
import type { ScanResult } from '../../../service/archive/scan-view.ts';
import { SCAN_ID } from '../../../service/archive/scan-id.ts';
import type { SampleDms } from '../../../simulators/sample-dms/sample-dms.ts';
import { assert } from '../../support/suite.ts';
import {
  PAGE,
  type Service,
  SHEETS,
  type StorageBench,
  type StorageCase,
  type StubScanner,
} from './storage-bench.ts';

export const KEY = 'the first call';

/** The next key is used when the answer asks for a new one. */
const KEYS = [KEY, 'the second call', 'the third call'];

/**
 * After a disk fault, checks with a fresh service: the record is readable, no page is lost, the
 * same call never feeds twice, `resume` files every page, nothing arrives twice, the next scan
 * works.
 */
export async function checkRecovery(
  bench: StorageBench,
  faulty: StorageCase,
  what: string,
): Promise<void> {
  const { scanner, root } = faulty;
  const service = faulty.start();
  const kept = pagesOf(root);
  const fed = scanner.sheetsFed();
  await checkRecords(root, what);
  await finish(service, what);
  if (kept > 0) assert.is(scanner.sheetsFed(), fed, `${what}: the same call fed paper again`);
  const finished = (await checkRecords(root, what)).filter(({ state }) => state === 'finished');
  assert.is(finished.length, 1, `${what}: one scan is finished`);
  checkDelivered(bench.dms, finished, { pages: kept === 0 ? SHEETS : kept, what });
  await checkNextScan(bench.dms, { service, scanner }, what);
  assert.equal(leftovers(root), [], `${what}: no temporary file is left`);
}

/** Acts like a caller after a fault: repeats the call, then does what the answer says. */
export async function finish(service: Service, what: string): Promise<void> {
  for (const key of KEYS) {
    const again = await outcome(service.scan(key));
    const isNew = again instanceof Failure && again.facts['page_count'] === 0;
    // The service cannot tell whether a sheet moved, and asks for another key.
    if (isNew) assert.is(again.code, 'scan_interrupted', `${what}: ${again.message}`);
    if (isNew) continue;
    if (again instanceof Failure || hasFailed(again)) {
      await service.resume(idOf(again), DEFAULT_REDELIVERY);
    }
    return;
  }
  assert.unreachable(`${what}: no key is taken`);
}

function pagesOf(root: string): number {
  const names = readdirSync(root, { recursive: true }).map(String);
  return names.filter((name) => /\/page-\d{4}\.tif$/.test(name)).length;
}

/** The result or Failure of a call. Rethrows any other error, which is a bug. */
export async function outcome(call: Promise<ScanResult>): Promise<ScanResult | Failure> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

function hasFailed({ documents }: ScanResult): boolean {
  return documents.some(({ destinations }) =>
    destinations.some(({ status }) => status === 'failed'),
  );
}

function idOf(answer: ScanResult | Failure): string {
  const id = answer instanceof Failure ? answer.facts['scan_id'] : answer.scan_id;
  if (typeof id !== 'string') throw new Error(`no scan_id: ${JSON.stringify(answer)}`);
  return id;
}

/** Checks that every record parses and every stored page is complete. Returns the records. */
async function checkRecords(root: string, what: string): Promise<StoredRecord[]> {
  const ids = readdirSync(root).filter((name) => SCAN_ID.test(name));
  const records = ids.map(async (id) => {
    const directory = path.join(root, id);
    const pages = readdirSync(directory).filter((name) => /^page-\d{4}\.tif$/.test(name));
    for (const page of pages) {
      assert.ok(readFileSync(path.join(directory, page)).equals(PAGE), `${what}: ${page} is whole`);
    }
    assert.ok(existsSync(path.join(directory, 'events.jsonl')), `${what}: a record from the start`);
    const summary = path.join(directory, 'scan.json');
    const readSummary = (): unknown => JSON.parse(readFileSync(summary, 'utf8'));
    if (existsSync(summary)) assert.not.throws(readSummary, `${what}: scan.json is whole`);
    const record = await readStoredRecord(directory);
    for (const page of record.pages) assert.ok(pages.includes(page), `${what}: ${page} is kept`);
    if (record.state === 'finished') assert.equal(record.pages, pages, `${what}: all are named`);
    return [record];
  });
  return (await Promise.all(records)).flat();
}

/** Checks that every page is in a document that arrived once or whose outcome is unknown. */
function checkDelivered(
  dms: SampleDms,
  records: readonly StoredRecord[],
  { pages, what }: { pages: number; what: string },
): void {
  for (const { scan_id, documents, page_count } of records) {
    assert.is(page_count, pages, `${what}: every page is counted`);
    const filed = documents.flatMap((document) => document.pages);
    assert.is(filed.length, pages, `${what}: every page is in a document`);
    assert.equal(
      filed,
      filed.toSorted((a, b) => a - b),
      `${what}: in the order of the feeder`,
    );
    for (const { filename, outcomes, sha256 } of documents) {
      const arrived = dms
        .uploads()
        .filter((upload) => upload.status === 200 && upload.filename === `${scan_id}-${filename}`);
      assert.ok(arrived.length <= 1, `${what}: ${filename} arrived ${arrived.length} times`);
      for (const upload of arrived) assert.is(upload.sha256, sha256, `${what}: as it was made`);
      if (outcomes[0] === 'unknown') continue;
      assert.is(arrived.length, 1, `${what}: ${filename} arrived, it is ${outcomes[0]}`);
    }
  }
}

async function checkNextScan(
  dms: SampleDms,
  { service, scanner }: { service: Service; scanner: StubScanner },
  what: string,
): Promise<void> {
  scanner.sheets = 1;
  const result = await service.scan();
  assert.is(result.page_count, 1, `${what}: the next scan works`);
  const stored = dms.uploads().filter(({ filename }) => filename?.startsWith(result.scan_id));
  assert.is(stored.length, result.documents.length, `${what}: the next scan is delivered`);
}

function leftovers(root: string): string[] {
  return readdirSync(root, { recursive: true })
    .map(String)
    .filter(
      (name) =>
        name.endsWith('.tmp') && existsSync(path.join(root, path.dirname(name), 'events.jsonl')),
    );
}
