import path from 'node:path';
import sharp from 'sharp';
import type { CodeReader } from '../../../../helpers/processor/codes/code-reader.ts';
import { examinePage, type Examined } from '../../../../helpers/processor/page/examine-page.ts';
import { openPage } from '../../../../helpers/processor/page/open-page.ts';
import type { PageImage } from '../../../../helpers/processor/page/plain-tiff.ts';
import type { PageWork } from '../../../../helpers/processor/page/page-work.ts';
import { assert, rejection } from '../../../support/suite.ts';
import { composed, printedCode } from '../support/code-images.ts';
import {
  drawing,
  opened,
  pageTests,
  pageTiff,
  recognized,
  scanned,
  type PageBench,
  type WorkOptions,
} from '../support/page-samples.ts';
import { graySample, writeTiff } from '../support/tiff-sample.ts';

const DPI = 300;
const CODE = { type: 'qr', text: 'ASN1', x_mm: 1, y_mm: 1, width_mm: 9, height_mm: 9 } as const;

const test = pageTests('examining a page');

interface ExamineOptions extends WorkOptions {
  /** In place of an empty page. */
  readonly image?: PageImage;
  /** In place of the reader of codes. */
  readonly read?: CodeReader['read'];
}

async function examine({ directory, workOn }: PageBench, given: ExamineOptions): Promise<Examined> {
  const empty = path.join(directory, 'empty.tif');
  const { image = await writeTiff(empty, graySample(600, 600)), read, ...options } = given;
  const work = workOn(image.file, options);
  const codes = read ? { ...work.parts.codes, read } : work.parts.codes;
  return examinePage(opened(image), { ...work, parts: { ...work.parts, codes } });
}

/** The same, but that so many looks at the page fail. */
function withoutLook(work: PageWork, times: number): PageWork {
  const { python } = work.parts.toolbox;
  let left = times;
  const run: typeof python.run = (job, context) => {
    if (job.job === 'examine' && left-- > 0) return Promise.reject(new Error('in pieces'));
    return python.run(job, context);
  };
  const toolbox = { ...work.parts.toolbox, python: { ...python, run } };
  return { ...work, parts: { ...work.parts, toolbox } };
}

test('nothing is looked for that was not asked for', async (bench) => {
  const read = (): Promise<never> => Promise.reject(new Error('not expected'));
  const { findings, warnings } = await examine(bench, { options: { ocr: false }, read });
  assert.equal(findings, { skew: null, blank: null, codes: [], left_out: null });
  assert.equal(warnings, []);
  const examined = await examine(bench, { options: { examine: true }, read });
  assert.equal(examined.findings.blank, { score: 0, mark: null });
  assert.is(examined.findings.left_out, null);
});

test('a blank page is left out if it may be, a separator always', async (bench) => {
  const read: CodeReader['read'] = () => Promise.resolve([CODE]);
  for (const [options, expected] of [
    [{ drop_blank: true }, 'blank'],
    [{ drop_blank: true, codes: true, separators: ['PATCHT'] }, 'blank'],
    [{ drop_blank: true, separators: ['PATCHT', 'ASN1'] }, 'separator'],
    [{ separators: ['ASN'] }, null],
  ] as const) {
    const { findings } = await examine(bench, { options, read });
    assert.is(findings.left_out, expected, JSON.stringify(options));
  }
});

test('codes that do not fit are not listed, and still count', async (bench) => {
  const long = { ...CODE, text: 'x'.repeat(301) };
  const codes = Array.from({ length: 21 }, () => CODE);
  const options = { separators: [long.text.slice(0, 100), long.text] };
  const read: CodeReader['read'] = () => Promise.resolve([...codes, long]);
  const { findings, warnings } = await examine(bench, { options, read });
  assert.is(findings.codes.length, 20);
  assert.is(findings.left_out, 'separator');
  assert.equal(warnings, ['2 codes are not listed: there are too many, or they are too long']);
});

test('hostile texts of codes come through as they are', async (bench) => {
  const texts = [
    '../../etc/passwd',
    '<script>alert(1)</script>',
    '{profile}\u0000\u001B[31m',
    '🖨\u202E',
  ];
  const things = texts.map(async (text, index) => ({
    png: await printedCode({ format: 'QRCode', text, width_mm: 20 }, DPI),
    x_mm: 10 + (index % 2) * 40,
    y_mm: 10 + Math.floor(index / 2) * 40,
  }));
  const size = { width_mm: 100, height_mm: 100 };
  const page = await composed(size, await Promise.all(things), DPI);
  const image = await scanned(path.join(bench.directory, 'hostile.tif'), page);
  const { findings, warnings } = await examine(bench, { image, options: { codes: true } });
  assert.equal(findings.codes.map(({ text }) => text).toSorted(), texts.toSorted());
  assert.equal(warnings, []);
});

test('a reader of codes that fails once is asked again; twice, it costs the codes', async (bench) => {
  for (const [failures, left_out, said] of [
    [1, 'separator', []],
    [2, 'blank', ['reading codes failed: the page counts as one without codes']],
  ] as const) {
    let left = failures;
    const { findings, warnings } = await examine(bench, {
      options: { drop_blank: true, separators: ['PATCHT'] },
      read: () =>
        left-- > 0
          ? Promise.reject(new Error('in pieces'))
          : Promise.resolve([{ ...CODE, text: 'PATCHT' }]),
    });
    assert.is(findings.left_out, left_out);
    assert.equal(warnings, said);
  }
});

test('a page that cannot be examined stays as it was scanned', async ({ directory, workOn }) => {
  const { file } = await pageTiff(directory, 'invoice', { height: 600 });
  const options = { deskew: true, drop_blank: true, separators: ['PATCHT'] };
  const work = workOn(file, { options });
  assert.equal((await recognized(withoutLook(work, 1))).warnings, []);
  const { facts, warnings } = await recognized(withoutLook(work, 2));
  assert.equal(warnings, ['examining the page failed: it is kept as it was scanned']);
  assert.equal(
    [facts.turned, facts.skew, facts.blank, facts.codes, facts.left_out],
    [0, null, null, [], null],
  );
  assert.ok(facts.words > 10);
});

test('an image that is no page, too coarse or too small is kept', async (bench) => {
  const cases = [
    ['one pixel', { ...graySample(9, 9), width: 1, height: 1, pixels: Buffer.alloc(1) }, 1],
    ['a line', { ...graySample(9, 9), width: 3000, height: 1, pixels: Buffer.alloc(3000) }, 1],
    ['too coarse', { ...graySample(600, 600), dpi: [100, 100] as const }, 9],
    ['black', { ...graySample(600, 600), pixels: Buffer.alloc(600 * 600) }, 9],
  ] as const;
  for (const [what, sample, least] of cases) {
    const image = await writeTiff(path.join(bench.directory, 'odd.tif'), sample);
    const options = { examine: true, codes: true };
    const { findings, warnings } = await examine(bench, { image, options });
    assert.equal(warnings, [], what);
    assert.ok((findings.blank?.score ?? 0) >= least, `${what}: ${findings.blank?.score}`);
  }
});

test('a page that is given up rejects with the reason', async (bench) => {
  const signal = AbortSignal.abort(new Error('the deadline'));
  for (const options of [{ examine: true }, { codes: true }]) {
    assert.match(String(await rejection(examine(bench, { options, signal }))), /the deadline/);
  }
});

test('ink of a colour on coloured paper is seen', async (bench) => {
  const tick = '<path d="M200 400l30 30 60-80" stroke="#d8d8a0" stroke-width="6" fill="none"/>';
  const page = drawing([800, 800], '#f7ec99', tick);
  const image = await scanned(path.join(bench.directory, 'colour.tif'), page, { mode: 'colour' });
  const { blank } = (await examine(bench, { image, options: { examine: true } })).findings;
  assert.ok((blank?.score ?? 0) > 1, JSON.stringify(blank));
  assert.ok(Math.abs((blank?.mark?.x_mm ?? 0) - 17) < 1, JSON.stringify(blank));
});

/** A page of text with dark lines from edge to edge, 34, 100 (0.8 mm wide) and 4 mm from the left, and rules of a table, at 60 and 150 mm. */
async function dirtyPage(directory: string, skew: number): Promise<PageImage> {
  const { file, width, height } = await pageTiff(directory, 'letter-landlord');
  const lines = (top: number, ...places: (readonly [mm: number, pixels: number])[]): Buffer => {
    const rects = places.map(
      ([mm, pixels]) =>
        `<rect x="${(mm / 25.4) * DPI - pixels / 2}" y="${top}" width="${pixels}" height="${height - 2 * top}" fill="#444"/>`,
    );
    return Buffer.from(`<svg width="${width}" height="${height}">${rects.join('')}</svg>`);
  };
  const png = { compressionLevel: 0 };
  const printed = sharp(file).composite([{ input: lines(200, [60, 4], [150, 4]) }]);
  // The paper is askew; what is on the glass is not.
  const askew = sharp(await printed.png(png).toBuffer())
    .rotate(skew, { background: 'white' })
    .resize(width, height, { fit: 'cover' });
  const dirty = sharp(await askew.png(png).toBuffer()).composite([
    { input: lines(0, [34, 4], [100, 10], [4, 4]) },
  ]);
  return scanned(path.join(directory, `dirty${skew}.tif`), dirty);
}

test('streaks of dirty glass are found; rules, edges are none', async ({ directory, workOn }) => {
  for (const [skew, rotate, found] of [
    [0, 0, [34, 100]],
    [2, 0, [34, 100]],
    [0, 180, [100, 34]],
    [0, 90, undefined],
  ] as const) {
    const { file } = await dirtyPage(directory, skew);
    const page = await openPage(workOn(file, { options: { rotate } }));
    const { findings } = await examinePage(page, workOn(file));
    assert.equal(findings.streaks?.map(Math.round), found, `${skew}° askew, turned by ${rotate}°`);
  }
});

test('a black line down the page keeps nothing from being examined', async (bench) => {
  // Only its middle is found: on both sides of that it is as black.
  const page = drawing([800, 1100], '#f5f5f5', '<rect x="300" width="8" height="1100"/>');
  const image = await scanned(path.join(bench.directory, 'line.tif'), page);
  const { findings, warnings } = await examine(bench, { image });
  assert.equal(warnings, []);
  assert.is(findings.streaks?.length, 1);
});
