import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ScanResult } from '../../service/archive/scan-view.ts';
import { startAppliance, type Appliance } from '../support/appliance/appliance.ts';
import { shippedPage } from '../support/pages.ts';
import { programsLeft } from '../support/processes.ts';
import type { TestAnswer } from '../support/test-app.ts';

const test = suite<{ appliance: Appliance }>('picking a scan up again');

const scanning = { source: 'ADF', resolution: 100 };

test.before(async (context) => {
  context.appliance = await startAppliance({
    profiles: [
      { name: 'default', ...scanning },
      { name: 'hasty', ...scanning, timeout_seconds: 15 },
      { name: 'pages', ...scanning, assembly: { page_grouping: 'per_page' } },
      {
        name: 'sheets',
        ...scanning,
        source: 'ADF Duplex',
        assembly: { page_grouping: 'per_sheet' },
      },
    ],
    processorEnvironment: { WORKERS: '1' },
  });
});

test.after(({ appliance }) => appliance.close());

const PAGE = shippedPage('blank-back-plain').file;
const NAMES = [1, 2, 3, 4, 5, 6].map((number) => `page-000${number}.tif`);

function stack(appliance: Appliance, count: number): void {
  appliance.scanner.load(Array.from({ length: count }, () => PAGE));
}

function resultOf(answer: TestAnswer): ScanResult {
  assert.is(answer.status, 200, answer.text);
  return answer.json as unknown as ScanResult;
}

/** A scan that jams at a page; resolves with its id. */
async function jam(appliance: Appliance, profile: string, atPage: number): Promise<string> {
  appliance.scanner.setFault({ kind: 'jam', atPage });
  const answer = await appliance.scan({ profile });
  appliance.scanner.setFault(null);
  assert.is(answer.json?.['error'], 'scanner_jammed', answer.text);
  return String(answer.json?.['scan_id']);
}

const uploadsOf = (appliance: Appliance, scanId: string): string[] =>
  appliance.dms
    .uploads()
    .map(({ filename }) => filename ?? '')
    .filter((name) => name.startsWith(scanId));

test('resume files the pages that are stored, once, and feeds nothing', async ({ appliance }) => {
  stack(appliance, 6);
  const id = await jam(appliance, 'default', 4);
  const fed = appliance.scanner.state.sheetsFed;
  const result = resultOf(await appliance.post(`/scans/${id}/resume`, {}));
  assert.is(result.scan_id, id);
  assert.equal(result.pages, NAMES.slice(0, 3));
  assert.equal(result.documents[0]?.pages, [1, 2, 3]);
  assert.is(result.documents[0]?.destinations[0]?.status, 'submitted');
  assert.match(result.warnings.join(), 'scanner_jammed');
  assert.equal((await appliance.record(id))['state'], 'finished');

  assert.equal(resultOf(await appliance.post(`/scans/${id}/resume`, {})), result);
  assert.is(uploadsOf(appliance, id).length, 1);
  assert.is(appliance.scanner.state.sheetsFed, fed);
  assert.equal(await programsLeft(), []);
});

test('continue_scan feeds the rest into the same scan, page numbers going on', async ({
  appliance,
}) => {
  stack(appliance, 6);
  const id = await jam(appliance, 'default', 4);
  const result = resultOf(await appliance.scan({ continue_scan: id }));
  assert.is(result.scan_id, id);
  assert.equal(result.pages, NAMES);
  assert.equal(result.documents[0]?.pages, [1, 2, 3, 4, 5, 6]);
  assert.is(uploadsOf(appliance, id).length, 1);
  const again = await appliance.scan({ continue_scan: id });
  assert.is(again.json?.['error'], 'scan_not_resumable', again.text);
});

test('a sheet that stopped between its sides is a document of its own, and those after it are whole', async ({
  appliance,
}) => {
  appliance.scanner.load(Array.from({ length: 4 }, () => PAGE));
  const id = await jam(appliance, 'sheets', 2);
  appliance.scanner.load([PAGE, PAGE]);
  const result = resultOf(await appliance.scan({ continue_scan: id }));
  assert.equal(result.pages, NAMES.slice(0, 3));
  assert.equal(
    result.documents.map(({ pages }) => pages),
    [[1], [2, 3]],
  );
});

test('after a timeout in OCR, resume takes the pages that were recognised as they are', async ({
  appliance,
}) => {
  stack(appliance, 8);
  appliance.scanner.setFault({ kind: 'wait', atPage: 4 });
  const third = appliance.service.nextLine(/"event":"scan_recognized".*"page":3,/);
  const ended = appliance.service.nextLine(/"event":"scan_ended".*"state":"failed"/);
  const scan = appliance.scan({ profile: 'hasty' });
  await third;
  appliance.processor.freeze();
  appliance.scanner.setFault(null);
  const answer = await scan;
  await ended;
  appliance.processor.thaw();
  assert.is(answer.json?.['stage'], 'process', answer.text);
  const id = String(answer.json?.['scan_id']);
  const result = resultOf(await appliance.post(`/scans/${id}/resume`, {}));
  assert.is(result.page_count, 8);
  const recognized = appliance.service
    .output()
    .split('\n')
    .filter((line) => line.includes(id) && line.includes('"event":"scan_recognized"'))
    .map((line) => (JSON.parse(line) as { page: number }).page);
  assert.equal(
    recognized.toSorted((x, y) => x - y),
    [1, 2, 3, 4, 5, 6, 7, 8],
  );
  assert.is(uploadsOf(appliance, id).length, 1);
});

test('a scan that the service was killed in is interrupted, and resume files its pages', async ({
  appliance,
}) => {
  stack(appliance, 4);
  appliance.scanner.setFault({ kind: 'wait', atPage: 3 });
  const second = appliance.service.nextLine(/"event":"scan_page".*"page":2,/);
  const lost = appliance.scan({}).catch(() => undefined);
  await second;
  await appliance.service.stop('SIGKILL');
  await lost;
  appliance.scanner.setFault(null);
  await appliance.untilScannerFree();
  await appliance.service.start();
  const list = (await appliance.get('/scans?limit=1')).json as {
    scans: { scan_id: string; state: string }[];
  };
  const [newest] = list.scans;
  assert.is(newest?.state, 'interrupted');
  const id = newest?.scan_id ?? '';
  const result = resultOf(await appliance.post(`/scans/${id}/resume`, {}));
  assert.ok(result.page_count >= 2);
  assert.is(uploadsOf(appliance, id).length, 1);
  assert.match(result.warnings.join(), 'the end of the service');
});

test.run();
