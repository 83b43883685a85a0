import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { pageNumber } from '../../service/archive/file-names.ts';
import type { ScanResult } from '../../service/archive/scan-view.ts';
import { pagesOf } from '../service/documents/stack.ts';
import { assert, suite } from '../support/suite.ts';
import { withFaultBench, type FaultBench } from './support/fault-bench.ts';
import { BLANK_PAGE } from './support/invariants.ts';

const test = suite<{ bench: FaultBench }>('a service that is killed during');

const CARD = { name: 'card', source: 'Flatbed', assembly: { page_grouping: 'card' } };

// A sheet takes 250 ms, so that the service can be killed before it is scanned.
withFaultBench(test, { scanner: { pagesPerMinute: 240 }, profiles: [CARD] });

/** Makes a call, kills the service after an event of it, and starts it again. */
async function killedAfter(
  event: string,
  { appliance }: FaultBench,
  call: () => Promise<unknown>,
): Promise<string> {
  const { service } = appliance;
  const line = service.nextLine(new RegExp(`"event":"scan_${event}"`));
  const lost = call();
  const { scan_id: id } = JSON.parse(await line) as { readonly scan_id: string };
  await service.stop('SIGKILL');
  await lost;
  await service.start();
  await appliance.untilScannerFree();
  return id;
}

/** Files the scan, and checks that each page on disk is in a document once. */
async function filedPages(bench: FaultBench, id: string): Promise<(readonly number[])[]> {
  const { answer } = await bench.resume(id);
  const names = await readdir(path.join(bench.appliance.scansDir, id));
  const numbers = names.flatMap((name) => pageNumber(name) ?? []).toSorted((a, b) => a - b);
  if (numbers.length === 0) {
    assert.is(answer?.json?.['error'], 'scan_not_resumable', answer?.text);
    return [];
  }
  assert.is(answer?.status, 200, answer?.text);
  const documents = pagesOf(answer?.json as unknown as ScanResult);
  assert.equal(documents.flat(), numbers);
  return documents;
}

const SETTINGS = { mode: 'Color', page_grouping: 'per_page' };

for (const event of ['begun', 'page', 'recognized']) {
  test(`a scan with settings, after ${event}: they are kept, and compared with those of the same key`, async ({
    bench,
  }) => {
    const { appliance } = bench;
    const { scanner } = appliance;
    const keyed = { 'Idempotency-Key': `settings-${event}` };
    scanner.load([BLANK_PAGE, BLANK_PAGE]);
    const scan = (settings: object): ReturnType<FaultBench['scan']> =>
      bench.scan({ settings }, keyed);
    const id = await killedAfter(event, bench, () => scan(SETTINGS));
    const { json } = await appliance.get(`/scans/${id}`);
    assert.equal([json?.['state'], json?.['asked_settings']], ['interrupted', SETTINGS]);
    const left = scanner.state.sheetsLeft;
    const again = await scan(SETTINGS);
    assert.is(again.answer?.json?.['error'], 'scan_interrupted', again.answer?.text);
    const other = await scan({ mode: 'Gray' });
    assert.is(other.answer?.json?.['error'], 'idempotency_key_reused', other.answer?.text);
    assert.is(scanner.state.sheetsLeft, left, 'nothing is fed again');
    const documents = await filedPages(bench, id);
    assert.ok(
      documents.every((pages) => pages.length === 1),
      'one document per page',
    );
  });
}

for (const [side, event] of [
  ['front', 'begun'],
  ['front', 'page'],
  ['front', 'recognized'],
  ['back', 'resumed'],
  ['back', 'page'],
  ['back', 'recognized'],
] as const) {
  test(`the ${side} of a card, after ${event}: its sides are filed once, on one page`, async ({
    bench,
  }) => {
    bench.appliance.scanner.load([BLANK_PAGE]);
    const front = (): ReturnType<FaultBench['scan']> => bench.scan({ profile: 'card' });
    const held = side === 'back' ? (await front()).answer?.json : undefined;
    const id = await killedAfter(event, bench, () =>
      held ? bench.scan({ continue_scan: held['scan_id'] }) : front(),
    );
    const documents = await filedPages(bench, id);
    const [pages = []] = documents;
    if (side === 'back') assert.is(pages[0], 1, 'the front is kept');
    if (event !== 'begun') assert.is(documents.length, 1);
    if (side === 'back' && event !== 'resumed') assert.equal(pages, [1, 2]);
  });
}
