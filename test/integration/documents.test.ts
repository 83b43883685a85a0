import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import sharp from 'sharp';
import type { ScanDetails } from '../../service/archive/scan-details.ts';
import type { ScanResult } from '../../service/archive/scan-view.ts';
import { readOpenApi } from '../../service/http/open-api.ts';
import type { Paper } from '../../simulators/virtual-scanner/virtual-scanner.ts';
import { archiveLevelOf, imagesOf } from '../helpers/processor/support/inspect-pdf.ts';
import { withAppliance, type Appliance } from '../support/appliance/appliance.ts';
import { describedResponses } from '../support/open-api-schemas.ts';
import { recoveredShare, shippedPage, textOfPdf } from '../support/pages.ts';
import type { PrintedSheets } from '../support/print-sheets.ts';
import { assert, suite } from '../support/suite.ts';
import type { TestAnswer } from '../support/send-to.ts';
import {
  JAMMED,
  printKinds,
  printShoebox,
  SEPARATORS,
  SHOEBOX,
  UPSIDE_DOWN,
  type SheetKind,
} from './support/mail.ts';

interface Fixture {
  appliance: Appliance;
  kinds: Awaited<ReturnType<typeof printKinds>>;
}

const test = suite<Fixture>('from the feeder to the DMS');

/** Most feeders have a white backing. This scanner's is black, and it scans backs upside down. */
const BLACK = { device: 'Second' };
const WHITE = { device: 'Virtual' };
/** Skips OCR, for tests that do not check the text. */
const QUICK = { ...WHITE, resolution: 150, processing: { ocr: false } };
const LETTERS = { page_grouping: 'separator', remove_blank_pages: 'backs' };

withAppliance(test, {
  second: { backing: 'black', turnsBacks: true },
  profiles: [
    { name: 'default', ...WHITE, source: 'ADF', title: 'Letters {date}' },
    { name: 'glass', ...QUICK, source: 'Flatbed', mode: 'Color', page_size: 'a5' },
    { name: 'layers', ...WHITE, source: 'ADF', mode: 'Color', processing: { optimize: 3 } },
    { name: 'rough', ...WHITE, source: 'ADF', resolution: 150 },
    { name: 'auto', ...WHITE, source: 'ADF', resolution: 150, page_size: 'auto' },
    { name: 'lineart', ...WHITE, source: 'ADF', resolution: 200, mode: 'Lineart' },
    {
      name: 'cut',
      ...BLACK,
      source: 'ADF Duplex',
      resolution: 200,
      mode: 'Lineart',
      page_size: 'auto',
      // `rotate_backs` turns the upside-down backs, so detecting their orientation is unnecessary.
      processing: { rotate_backs: 180, rotate_pages: false },
    },
    { name: 'letters', source: 'ADF', ...QUICK, assembly: LETTERS },
    { name: 'blanks', source: 'ADF Duplex', ...QUICK, assembly: { page_grouping: 'blank_page' } },
    { name: 'written', source: 'ADF Duplex', ...QUICK, assembly: { remove_blank_pages: 'all' } },
    { name: 'whole', source: 'ADF', ...QUICK },
    {
      name: 'sheets',
      source: 'ADF',
      ...QUICK,
      assembly: { page_grouping: 'per_sheet', remove_blank_pages: 'backs', backs_order: 'same' },
    },
    {
      name: 'shoebox',
      ...WHITE,
      source: 'ADF Duplex',
      resolution: 150,
      assembly: { ...LETTERS, barcodes: { metadata: true } },
      title: '{first_line}',
    },
  ],
});

test.before(async (fixture) => {
  fixture.kinds = await printKinds();
});
test.after(({ kinds }) => kinds.remove());

const scanResponse = describedResponses(await readOpenApi('1')).find(
  ({ path: where, status }) => where === '/scan' && status === 200,
);

/** Checks a successful scan against openapi.yaml: every page is in one document or dropped. */
function resultOf(answer: TestAnswer): ScanResult {
  assert.is(answer.status, 200, answer.text);
  assert.is(scanResponse?.check(answer.json), undefined);
  const result = answer.json as unknown as ScanResult;
  if (result.state === 'held') return result;
  const pages = [
    ...result.documents.flatMap((document) => document.pages),
    ...result.dropped_pages.map(({ page }) => page),
  ].toSorted((a, b) => a - b);
  assert.equal(
    pages,
    Array.from({ length: result.page_count }, (_, index) => index + 1),
  );
  return result;
}

async function scan(
  appliance: Appliance,
  profile: string,
  papers: readonly Paper[],
): Promise<{ readonly result: ScanResult; readonly file: string }> {
  const scanner = profile === 'cut' ? appliance.second : appliance.scanner;
  scanner?.load(papers);
  const result = resultOf(await appliance.scan({ profile }));
  const name = result.documents[0]?.filename ?? '';
  return { result, file: path.join(appliance.scansDir, result.scan_id, name) };
}

async function assertReads(file: string, printed: readonly string[], share: number): Promise<void> {
  const texts = await textOfPdf(file);
  const shares = printed.map((text, index) => recoveredShare(text, texts[index] ?? ''));
  assert.ok(Math.min(...shares) >= share, shares.join());
}

test('a stack becomes one document with its words, on disk, in the record and in the DMS', async ({
  appliance,
}) => {
  const pages = ['invoice', 'article-one'].map((name) => shippedPage(name));
  const papers = pages.map((page) => page.file);
  const { result, file } = await scan(appliance, 'default', papers);
  assert.is(result.profile, 'default');
  assert.equal(result.warnings, []);
  const [document] = result.documents;
  assert.equal(document?.pages, [1, 2]);
  assert.is(result.documents.length, 1);
  await assertReads(
    file,
    pages.map(({ text }) => text),
    0.98,
  );

  const stored = await readFile(file);
  assert.is(stored.length, document?.bytes);
  assert.is(createHash('sha256').update(stored).digest('hex'), document?.sha256);
  const upload = appliance.dms.uploads().at(-1);
  assert.is(upload?.sha256, document?.sha256);
  assert.is(upload?.headers['content-length'] !== undefined, true);
  assert.is(upload?.headers['transfer-encoding'], undefined);
  const title = upload?.fields.find(([name]) => name === 'title')?.[1] ?? '';
  assert.match(title, /^Letters \d{4}-\d{2}-\d{2}$/);
  assert.equal(document?.destinations, [{ status: 'submitted', task_id: upload?.task_id ?? '' }]);

  const images = ['page-0001.tif', 'page-0002.tif'];
  assert.equal(await appliance.files(result.scan_id), [
    'document-0001.pdf',
    'events.jsonl',
    ...images,
    'scan.json',
  ]);
  const record = await appliance.record(result.scan_id);
  assert.is(record['state'], 'finished');
  assert.is(record['error'], null);
  const { scan_id, profile, page_count, timings_ms, duration_ms } = result;
  const said = { scan_id, profile, page_count, pages: images, timings_ms, duration_ms };
  assert.equal({ ...record, ...said }, record);
});

test('the flatbed gives one page, as the profile says', async ({ appliance }) => {
  const { result } = await scan(appliance, 'glass', [shippedPage('brochure-color').file]);
  assert.is(result.page_count, 1);
  const { source, mode, resolution } = appliance.scanner.state.settings ?? {};
  assert.equal([source, mode, resolution], ['Flatbed', 'Color', 150]);
  // 148 mm × 210 mm at 150 dpi. Allows 26 bytes per row and column, and the header.
  const { size } = await stat(path.join(appliance.scansDir, result.scan_id, 'page-0001.tif'));
  const expected = Math.round((148 / 25.4) * 150) * Math.round((210 / 25.4) * 150) * 3;
  assert.ok(Math.abs(size / expected - 1) < 0.01, `${size} bytes, expected about ${expected}`);
});

test('page_size auto on a white backing keeps everything, and warns', async ({ appliance }) => {
  const receipt = shippedPage('receipt');
  const { result, file } = await scan(appliance, 'auto', [receipt.file]);
  assert.match(result.warnings.join(), /^Page 1 was not cut to the paper: its edges/);
  assert.equal(await imagesOf(file), [
    { page: 1, width: 1275, height: 2100, encoding: 'jpeg', dpi: 150 },
  ]);
  await assertReads(file, [receipt.text], 0.9);
});

test('a page fed sideways is turned, read and stored as 1 bit', async ({ appliance }) => {
  const roster = shippedPage('roster-landscape');
  const { result, file } = await scan(appliance, 'lineart', [roster.file]);
  assert.equal(result.warnings, []);
  const [image] = await imagesOf(file);
  assert.ok(image !== undefined && image.width > image.height);
  assert.match(image.encoding, /^(?:ccitt|jbig2)$/);
  await assertReads(file, [roster.text], 0.95);
});

/** The top of a page as a sheet; `height` is in pixels at 300 dpi. */
async function topOf({ directory }: Appliance, name: string, height: number): Promise<string> {
  const file = path.join(directory, `${name}-${height}.png`);
  const part = { left: 0, top: 0, width: 2480, height };
  await sharp(shippedPage(name).file).extract(part).withDensity(300).png().toFile(file);
  return file;
}

test('sheets of two sizes are cropped, turned, and made black and white', async ({ appliance }) => {
  const front = await topOf(appliance, 'letter-bank', 1754);
  const back = await topOf(appliance, 'letter-landlord', 1754);
  const note = await topOf(appliance, 'letter-bank', 1200);
  const papers = [
    { front, back },
    { front: note, back: note },
  ];
  const { result, file } = await scan(appliance, 'cut', papers);
  assert.equal(result.warnings, []);
  assert.is(appliance.second?.state.settings?.mode, 'Gray');
  const start = (name: string): string => shippedPage(name).text.slice(0, 400);
  const letters = ['letter-bank', 'letter-landlord', 'letter-bank', 'letter-bank'];
  await assertReads(file, letters.map(start), 0.95);
  const images = await imagesOf(file);
  assert.ok(images.every(({ encoding }) => encoding === 'ccitt' || encoding === 'jbig2'));
  // The paper, plus a millimetre of backing at the right and the bottom.
  const sizes = images.map(({ width, height }) => [width, height].map((px) => (px * 25.4) / 200));
  const expected = [211, 149.5, 211, 149.5, 211, 102.6, 211, 102.6];
  const off = sizes.flat().map((mm, index) => Math.abs(mm - (expected[index] ?? 0)));
  assert.ok(Math.max(...off) < 1.5, JSON.stringify(sizes));
  assert.is(await archiveLevelOf(file), '2B');
});

test('a letter is stored in layers', async ({ appliance }) => {
  const { result, file } = await scan(appliance, 'layers', [
    await topOf(appliance, 'letter-bank', 1754),
  ]);
  assert.is((await imagesOf(file)).length, 3);
  assert.ok((result.documents[0]?.bytes ?? Infinity) < 90_000);
  await assertReads(file, [shippedPage('letter-bank').text.slice(0, 400)], 0.97);
  assert.is(await archiveLevelOf(file), '2B');
});

test('a page of few words is turned with its stack', async ({ appliance }) => {
  const papers: string[] = [];
  for (const height of [230, 1754]) {
    const top = await topOf(appliance, 'letter-bank', height);
    const whole = await sharp(top)
      .extend({ bottom: 1754 - height, background: '#f8f8f8' })
      .toBuffer();
    const turned = path.join(appliance.directory, `turned-${height}.png`);
    await sharp(whole).rotate(180).withDensity(300).png().toFile(turned);
    papers.push(turned);
  }
  const { result } = await scan(appliance, 'rough', papers);
  const details = (await appliance.get(`/scans/${result.scan_id}`)).json as unknown as ScanDetails;
  assert.equal(
    details.page_facts.map(({ turned }) => turned),
    [180, 180],
  );
});

function feed(
  { appliance, kinds }: Fixture,
  body: object,
  ...stack: readonly SheetKind[]
): Promise<TestAnswer> {
  appliance.scanner.load(stack.map((kind) => kinds[kind]));
  return appliance.scan(body);
}

function pagesOf(answer: TestAnswer): (readonly number[])[] {
  return resultOf(answer).documents.map(({ pages }) => pages);
}

test('a blank sheet separates, but a blank front alone does not', async (fixture) => {
  const stack = ['letter', 'blank', 'bothSides', 'blankFront', 'blank', 'blank'] as const;
  assert.equal(pagesOf(await feed(fixture, { profile: 'blanks' }, ...stack)), [
    [1, 2],
    [5, 6, 7, 8],
  ]);
  const written = await feed(fixture, { profile: 'written' }, 'letter', 'blank', 'blankFront');
  assert.equal(pagesOf(written), [[1, 6]]);
});

test('blank pages are filed on request, separators never', async (fixture) => {
  const resume = (id: string, body: object): Promise<TestAnswer> =>
    fixture.appliance.post(`/scans/${id}/resume`, { ...body, keep_blank_pages: true });
  const refused = await feed(fixture, { profile: 'written' }, 'blank');
  assert.is(refused.json?.['error'], 'only_blank_pages', refused.text);
  assert.equal(pagesOf(await resume(String(refused.json?.['scan_id']), {})), [[1, 2]]);
  const stack = ['blank', 'separator', 'blank'] as const;
  const held = resultOf(await feed(fixture, { profile: 'whole', hold: true }, ...stack));
  assert.equal(pagesOf(await resume(held.scan_id, { profile: 'letters' })), [[1], [3]]);
});

test('backs are matched with their fronts, even after a jam', async (fixture) => {
  const { scanner } = fixture.appliance;
  const fronts = ['letter', 'letter', 'letter'] as const;
  const { scan_id: id } = resultOf(
    await feed(fixture, { profile: 'sheets', hold: true }, ...fronts),
  );
  scanner.setFault({ kind: 'jam', atPage: 2 });
  const backs = { continue_scan: id, side: 'backs' };
  const jammed = await feed(fixture, backs, 'letter', 'blank', 'letter');
  scanner.setFault(null);
  assert.is(jammed.json?.['error'], 'scanner_jammed', jammed.text);
  const rest = await feed(fixture, { continue_scan: id }, 'blank', 'letter');
  assert.equal(pagesOf(rest), [[1, 4], [2], [3, 6]]);
  assert.equal(
    resultOf(rest).dropped_pages.map(({ page, reason }) => [page, reason]),
    [[5, 'blank']],
  );
});

/** Page 2 n - 1 is the front of sheet n. */
const pagesOfSheet = (sheet: number): number[] => [2 * sheet - 1, 2 * sheet];

async function scanShoebox(appliance: Appliance, paper: PrintedSheets): Promise<ScanResult> {
  appliance.scanner.load(paper.sheets);
  appliance.scanner.setFault({ kind: 'jam', atPage: 2 * JAMMED - 1 });
  const jammed = await appliance.scan({ profile: 'shoebox' });
  appliance.scanner.setFault(null);
  assert.is(jammed.json?.['error'], 'scanner_jammed', jammed.text);
  assert.is(jammed.json?.['page_count'], 2 * (JAMMED - 1));
  return resultOf(await appliance.scan({ continue_scan: jammed.json?.['scan_id'] }));
}

test('every document from a shoebox of mixed mail is correct, even across a jam', async ({
  appliance,
}) => {
  await appliance.dms.idle();
  const earlier = appliance.dms.uploads().length;
  const paper = await printShoebox();
  const result = await scanShoebox(appliance, paper);
  await paper.remove();
  assert.is(result.page_count, 2 * paper.sheets.length);
  const separators = result.dropped_pages.filter(({ reason }) => reason === 'separator');
  assert.equal(
    separators.map(({ page }) => page),
    SEPARATORS.flatMap(pagesOfSheet),
  );
  const dropped = result.dropped_pages.map(({ page }) => page);
  assert.equal(
    result.documents.map(({ pages }) => pages),
    SHOEBOX.map(({ sheets }) =>
      sheets.flatMap(pagesOfSheet).filter((page) => !dropped.includes(page)),
    ),
  );
  const kept = result.documents.flatMap(({ pages }) => pages).filter((page) => page % 2 === 0);
  assert.equal(
    kept,
    SHOEBOX.flatMap(({ backs = [] }) => backs.map((sheet) => 2 * sheet)),
  );
  for (const [index, { filename }] of result.documents.entries()) {
    const file = path.join(appliance.scansDir, result.scan_id, filename);
    const text = (await textOfPdf(file)).join('\n');
    for (const sheet of SHOEBOX[index]?.sheets ?? [])
      assert.match(text, new RegExp(`number ${sheet} of the shoebox`));
  }
  const details = (await appliance.get(`/scans/${result.scan_id}`)).json as unknown as ScanDetails;
  const turned = details.page_facts.filter((facts) => facts.turned === 180);
  assert.equal(
    turned.map(({ sheet }) => sheet),
    [UPSIDE_DOWN],
  );

  await appliance.dms.idle();
  assert.equal(
    appliance.dms
      .documents()
      .slice(-SHOEBOX.length)
      .map(({ title }) => title),
    SHOEBOX.map(({ title }) => title),
  );
  const names = ['tags', 'correspondent', 'document_type', 'archive_serial_number'];
  const uploads = appliance.dms.uploads().slice(earlier);
  assert.equal(
    uploads.map(({ fields }) =>
      Object.fromEntries(fields.filter(([name]) => names.includes(name))),
    ),
    SHOEBOX.map(({ sent = {} }) => sent),
  );
  const warnings = result.warnings.filter((warning) => !/jam|sheet/i.test(warning));
  assert.equal(
    warnings.map((warning) => warning.split('.')[0]),
    // Page 4 has only a pencil note, and page 28 only a sticker.
    ['No text was found on pages 4, 28, which are not blank'],
  );
});
