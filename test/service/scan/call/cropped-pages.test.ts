import { readFile, writeFile } from 'node:fs/promises';
import type { Crop } from '../../../../helpers/page-crop.ts';
import type { PageOptions } from '../../../../helpers/processor-contract.ts';
import { EVENT_FILE } from '../../../../service/archive/event-file.ts';
import type { PageEdit } from '../../../../service/archive/scan-event.ts';
import { feedPages, sha256, type PartFaults } from '../../../support/scan-parts.ts';
import {
  assembled,
  begun,
  ended,
  fed,
  page,
  planned,
  recognized,
  STORED_ID,
  storeScan,
} from '../../../support/stored-scan.ts';
import { assert, failure, withFixture } from '../../../support/suite.ts';
import { pagesOf } from '../../documents/stack.ts';
import { createScanBench } from './scan-bench.ts';

const CROP: Crop = { x: 0.1, y: 0.05, width: 0.5, height: 0.4, angle: 1.5 };
/** The same crop on a page turned by 90°. */
const TURNED: Crop = { x: 0.55, y: 0.1, width: 0.4, height: 0.5, angle: 1.5 };
const PAPER: Crop = { x: 0.2, y: 0.1, width: 0.4, height: 0.8, angle: -3 };

const test = withFixture('a page that a person crops', async () => {
  const bench = await createScanBench();
  return {
    ...bench,
    hold: async (profile: object = {}, faults: PartFaults = {}) => {
      const asked: PageOptions[] = [];
      const service = await bench.start({
        feed: feedPages(2),
        processor: (played) => ({
          recognizePage: (request) => {
            asked.push(request.options);
            return played.recognizePage(request);
          },
        }),
        ...faults,
      });
      const { scan_id: id } = await service.scans.scan({ ...bench.call(profile), hold: true });
      return { ...service, id, asked };
    },
    eventsOf: async (id: string) => {
      const lines = (await readFile(bench.file(id, EVENT_FILE), 'utf8')).trimEnd().split('\n');
      return lines.map((line): { type: string; crop?: unknown } => JSON.parse(line));
    },
  };
});

test('is shown and stored with its crop, and a restart keeps it', async ({
  hold,
  start,
  eventsOf,
}) => {
  const { scans, id } = await hold();
  const { page_states } = await scans.editPage(id, 2, { crop: CROP });
  assert.equal(
    page_states.map(({ crop }) => crop),
    [null, CROP],
  );
  assert.equal((await eventsOf(id)).at(-1)?.crop, CROP);
  const { archive } = await start();
  const { record } = await archive.find(id);
  assert.equal(record.pages[1]?.crop, CROP);
});

test('keeps its crop in place, whether it is turned before or after cropping', async ({ hold }) => {
  const { scans, id } = await hold();
  const cropOf = async (edit: PageEdit): Promise<Crop | null | undefined> =>
    (await scans.editPage(id, 1, edit)).page_states[0]?.crop;
  assert.equal(await cropOf({ crop: CROP }), CROP);
  assert.equal(await cropOf({ turn: 90 }), TURNED);
  assert.equal(await cropOf({ turn: 0 }), CROP);
  // If one edit turns and crops, the crop refers to the turned page.
  assert.equal(await cropOf({ turn: 180, crop: TURNED }), TURNED);
  assert.equal(await cropOf({ turn: 90 }), CROP);
});

test('is cropped as shown even if recognition turned it, and is not turned again', async (bench) => {
  const { scans, asked, id } = await bench.hold({}, { facts: () => ({ turned: 89.6 }) });
  const { page_states } = await scans.editPage(id, 1, { crop: TURNED });
  assert.equal(
    [page_states[0]?.crop, page_states[0]?.turned, page_states[0]?.turn],
    [TURNED, 90, 0],
  );
  await scans.resume(id);
  assert.is(asked.length, 3, 'only the cropped page is read again');
  const { cut, crop, rotate, rotate_pages } = asked[2] ?? {};
  assert.equal([cut, crop, rotate, rotate_pages], [CROP, false, 90, false]);
});

test('is neither straightened beyond the chosen angle nor cropped to the paper', async (bench) => {
  const profile = { page_size: 'auto', processing: { deskew: true } };
  const { scans, asked, id } = await bench.hold(profile);
  await scans.editPage(id, 1, { crop: CROP });
  await scans.editPage(id, 2, { crop: { ...CROP, angle: 0 } });
  await scans.resume(id);
  assert.is(asked.length, 4);
  for (const { cut, crop, deskew } of asked) {
    assert.equal([crop, deskew], [!cut, cut?.angle !== CROP.angle]);
  }
});

test('is filed even if the crop looks blank', async ({ hold }) => {
  const profile = { assembly: { remove_blank_pages: 'all' } };
  const blank = { blank: { score: 0.5, mark: null } };
  const { scans, id } = await hold(profile, { facts: () => blank });
  await scans.editPage(id, 2, { crop: CROP });
  const { dropped_pages, documents } = await scans.resume(id);
  assert.equal([dropped_pages.map((one) => one.page), documents[0]?.pages], [[1], [2]]);
});

test('is unchanged after the crop is undone, and is not recognized again', async (bench) => {
  const { scans, parts, id } = await bench.hold();
  const before = (await scans.editPage(id, 1, { left_out: false })).page_states;
  const edits: PageEdit[] = [{ crop: CROP }, { turn: 90 }, { crop: null }, { turn: 0 }];
  for (const edit of edits) await scans.editPage(id, 1, edit);
  const { page_states } = await scans.editPage(id, 1, { crop: null });
  assert.equal(page_states, before);
  assert.equal(pagesOf(await scans.resume(id)), [[1, 2]]);
  assert.is(parts.recognized.length, 2);
});

test('gets one event per change, and none for an equal crop', async ({ hold, eventsOf }) => {
  const { scans, id } = await hold();
  const before = (await eventsOf(id)).length;
  const nearly = { ...CROP, x: 0.100_000_2 };
  for (const crop of [CROP, CROP, nearly, null, null]) await scans.editPage(id, 1, { crop });
  assert.equal(
    (await eventsOf(id)).slice(before).map(({ crop }) => crop),
    [CROP, null],
  );
});

test('has the crop of the later of two callers, and the record has both', async ({
  hold,
  eventsOf,
}) => {
  const { scans, id } = await hold();
  const both = [CROP, TURNED].map((crop) => scans.editPage(id, 1, { crop }));
  const answered = await Promise.all(both);
  assert.equal(
    answered.map(({ page_states }) => page_states[0]?.crop),
    [CROP, TURNED],
  );
  assert.equal(
    (await eventsOf(id)).slice(-2).map(({ crop }) => crop),
    [CROP, TURNED],
  );
});

test('has the crop that the processor proposes, turned with the page', async ({ hold, start }) => {
  const { scans, asked, id } = await hold({}, { facts: () => ({ turned: 180, paper: PAPER }) });
  const proposed = { ...PAPER, x: 0.4, y: 0.1 };
  const { page_states } = await scans.editPage(id, 1, { crop: CROP });
  assert.equal(page_states[0]?.proposed_crop, proposed);
  await scans.editPage(id, 2, { turn: 180 });
  await scans.continueScan(id, { hold: true });
  const looked = asked.filter(({ find_paper }) => find_paper === true);
  assert.equal([asked.length, looked.length], [6, 4], 'once for each of four pages');
  const { archive } = await start();
  const { record } = await archive.find(id);
  assert.equal(
    record.pages.map(({ paper }) => paper),
    [PAPER, PAPER, PAPER, PAPER],
  );
});

for (const [what, profile, wanted] of [
  ['with page_size auto', { page_size: 'auto' }, true],
  ['that is filed at once', {}, undefined],
] as const) {
  test(`of a scan ${what}: the edges of the paper are ${wanted ? '' : 'not '}searched`, async (bench) => {
    const asked: PageOptions[] = [];
    const { scans } = await bench.start({
      feed: feedPages(1),
      processor: (played) => ({
        recognizePage: (request) => {
          asked.push(request.options);
          return played.recognizePage(request);
        },
      }),
    });
    await scans.scan(bench.call(profile));
    assert.equal(
      asked.map(({ find_paper }) => find_paper),
      [wanted],
    );
  });
}

test('is never filed from an older result or with a crop that was undone', async (bench) => {
  const { scans, id } = await bench.hold();
  const stale = 'made with another crop';
  const file = bench.file(id, 'recognized/page-0001.pdf');
  const whole = await readFile(file, 'utf8');
  // The service died after the processor had answered, and before it recorded that.
  await writeFile(file, stale);
  await scans.editPage(id, 1, { crop: CROP });
  await scans.editPage(id, 1, { crop: null });
  await scans.resume(id);
  const document = await readFile(bench.file(id, 'document-0001.pdf'), 'utf8');
  assert.ok(document.includes(whole) && !document.includes(stale));
});

test('has its document made again if that was not sent yet', async ({ root, start, file }) => {
  const late = ended({ error: { error: 'timeout', message: 'Late.' } });
  const first = begun({ paths: { output_dir: root }, destinations: [] });
  const events = [first, page(1), fed(), recognized(1), planned([1]), assembled(), late];
  await storeScan(root, events);
  const { scans, parts } = await start();
  const before = sha256(await readFile(file(STORED_ID, 'document-0001.pdf')));
  await scans.editPage(STORED_ID, 1, { crop: CROP });
  const { documents } = await scans.resume(STORED_ID);
  assert.equal(parts.recognized, ['page-0001.tif']);
  assert.is.not(documents[0]?.sha256, before);
});

test('leaves the raw page unchanged, byte for byte', async ({ hold, file }) => {
  const { scans, id } = await hold();
  const before = sha256(await readFile(file(id, 'page-0001.tif')));
  await scans.editPage(id, 1, { crop: CROP });
  await scans.resume(id);
  assert.is(sha256(await readFile(file(id, 'page-0001.tif'))), before);
});

test('cannot be cropped when it cannot be edited, and nothing is written', async ({
  hold,
  eventsOf,
}) => {
  const { scans, id } = await hold();
  const before = await eventsOf(id);
  await failure('not_found', scans.editPage(id, 3, { crop: CROP }));
  await failure('scan_not_found', scans.editPage('20990101T000000Z-000000', 1, { crop: CROP }));
  assert.equal(await eventsOf(id), before);
  await scans.discard(id, true);
  await failure('scan_discarded', scans.editPage(id, 1, { crop: CROP }));
  await scans.discard(id, false);
  await scans.editPage(id, 1, { left_out: true });
  const { page_states } = await scans.editPage(id, 1, { crop: CROP });
  assert.equal([page_states[0]?.dropped, page_states[0]?.crop], ['person', CROP]);
  await scans.resume(id);
  await failure('scan_not_editable', scans.editPage(id, 2, { crop: CROP }));
});
