import path from 'node:path';
import sharp from 'sharp';
import { BLANK_BELOW } from '../../../../helpers/page-facts.ts';
import type { CodeReader } from '../../../../helpers/processor/codes/code-reader.ts';
import { examinePage, type Examined } from '../../../../helpers/processor/page/examine-page.ts';
import { openPage } from '../../../../helpers/processor/page/open-page.ts';
import type { PageImage } from '../../../../helpers/processor/page/plain-tiff.ts';
import type { PageWork } from '../../../../helpers/processor/page/page-work.ts';
import { outputOf } from '../../../support/programs.ts';
import { assert, rejection, suite } from '../../../support/suite.ts';
import { PAGES_DIR } from '../../../../simulators/pages/manifest.ts';
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

const test = await pageTests('examining a page');

interface ExamineOptions extends Partial<WorkOptions> {
  readonly image?: PageImage;
  readonly read?: CodeReader['read'];
}

async function examine({ directory, workOn }: PageBench, given: ExamineOptions): Promise<Examined> {
  const empty = path.join(directory, 'empty.tif');
  const { image = await writeTiff(empty, graySample(600, 600)), read, ...options } = given;
  const work = workOn(image.file, options);
  const codes = read ? { ...work.parts.codes, read } : work.parts.codes;
  return examinePage(opened(image), { ...work, parts: { ...work.parts, codes } });
}

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

test('nothing is examined unless requested', async (bench) => {
  const read = (): Promise<never> => Promise.reject(new Error('not expected'));
  const { findings, warnings } = await examine(bench, { options: { ocr: false }, read });
  assert.equal(findings, { skew: null, blank: null, codes: [], left_out: null });
  assert.equal(warnings, []);
  const examined = await examine(bench, { options: { examine: true }, read });
  assert.equal(examined.findings.blank, { score: 0, mark: null });
  assert.is(examined.findings.left_out, null);
});

/** Share of the page that Tesseract does not take for white paper. */
async function grayShare(bench: PageBench, image: PageImage): Promise<number> {
  const { reading } = await examine(bench, { image });
  const pixels = await sharp(reading?.image.file).raw().toBuffer();
  return pixels.filter((level) => level < 255).length / pixels.length;
}

test('the paper of an empty page is white to Tesseract, which would search its grain for words', async (bench) => {
  const image = await pageTiff(bench.directory, 'blank-back-plain', { height: 600 });
  const share = await grayShare(bench, image);
  assert.ok(share < 0.05, String(share));
});

const dashes = (colour: string): string =>
  `<pattern id="dashes" width="20" height="96" patternUnits="userSpaceOnUse"><path d="M2 25h12M5 26v14" stroke="${colour}" stroke-width="3"/></pattern><rect width="100%" height="100%" fill="url(#dashes)"/>`;
const SPECK = '<rect x="600" y="20" width="15" height="15"/>';
const GRAIN = { type: 'gaussian', mean: 244, sigma: 4 } as const;
/** Print on paper with or without grain, and the expected share of the page that is not white. */
const PRINTED: Readonly<
  Record<string, readonly [print: string, grain: boolean, least: number, most: number]>
> = {
  'grain is white': ['', true, 0, 0.01],
  'grain beside gray print is white': [dashes('#6e6e6e'), true, 0.05, 0.06],
  'beside pale print, and a dark speck, less is': [dashes('#c3c3c3') + SPECK, true, 0.1, 0.12],
  'without grain pale strokes are not': [
    '<path d="M100 300h1000" stroke="#e8e8e8" stroke-width="3"/>',
    false,
    0.001,
    0.01,
  ],
};
for (const [what, [print, grain, least, most]] of Object.entries(PRINTED)) {
  test(`to Tesseract, ${what}`, async (bench) => {
    const [size, channels, background] = [1200, 3, '#f4f4f4'] as const;
    const create = { width: size, height: size, channels, background };
    const paper = sharp({ create: { ...create, ...(grain && { noise: GRAIN }) } });
    const input = await drawing([size, size], '#fff', print).png().toBuffer();
    const page = paper.composite([{ input, blend: 'darken' }]);
    const share = await grayShare(bench, await scanned(`${bench.directory}/grain.tif`, page));
    assert.ok(share >= least && share <= most, String(share));
  });
}

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

test('codes that do not fit are not listed, but still count', async (bench) => {
  const long = { ...CODE, text: 'x'.repeat(301) };
  const codes = Array.from({ length: 21 }, () => CODE);
  const options = { separators: [long.text.slice(0, 100), long.text] };
  const read: CodeReader['read'] = () => Promise.resolve([...codes, long]);
  const { findings, warnings } = await examine(bench, { options, read });
  assert.is(findings.codes.length, 20);
  assert.is(findings.left_out, 'separator');
  assert.equal(warnings, ['2 codes are not listed: there are too many, or they are too long']);
});

test('a code reader that fails once is retried; after the second failure there are no codes', async (bench) => {
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
  const { file } = await pageTiff(directory, 'invoice', { height: 490 });
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

test('an image that is not a page, too coarse or too small is kept', async (bench) => {
  const cases = [
    ['one pixel', { ...graySample(9, 9), width: 1, height: 1, pixels: Buffer.alloc(1) }, 1],
    ['a line', { ...graySample(9, 9), width: 3000, height: 1, pixels: Buffer.alloc(3000) }, 1],
    ['too coarse', { ...graySample(600, 600), dpi: 100 }, 9],
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

test('aborting a page rejects with the reason', async (bench) => {
  const signal = AbortSignal.abort(new Error('the deadline'));
  for (const options of [{ examine: true }, { codes: true }]) {
    assert.match(String(await rejection(examine(bench, { options, signal }))), /the deadline/);
  }
});

test('coloured ink on coloured paper is detected', async (bench) => {
  const tick = '<path d="M200 400l30 30 60-80" stroke="#d8d8a0" stroke-width="6" fill="none"/>';
  const page = drawing([800, 800], '#f7ec99', tick);
  const image = await scanned(path.join(bench.directory, 'colour.tif'), page, { mode: 'colour' });
  const { blank } = (await examine(bench, { image, options: { examine: true } })).findings;
  assert.ok((blank?.score ?? 0) > 1, JSON.stringify(blank));
  assert.ok(Math.abs((blank?.mark?.x_mm ?? 0) - 17) < 1, JSON.stringify(blank));
});

/**
 * Dark lines along the page at 34, 100 (0.8 mm wide) and 4 mm, and table rules at 60 and 150 mm.
 */
async function dirtyPage(directory: string, skew: number): Promise<PageImage> {
  const letter = await pageTiff(directory, 'letter-landlord', { height: 1300 });
  const { file, width, height } = letter;
  const lines = (top: number, ...places: (readonly [mm: number, pixels: number])[]): Buffer => {
    const rects = places.map(
      ([mm, pixels]) =>
        `<rect x="${(mm / 25.4) * DPI - pixels / 2}" y="${top}" width="${pixels}" height="${height - 2 * top}" fill="#444"/>`,
    );
    return Buffer.from(`<svg width="${width}" height="${height}">${rects.join('')}</svg>`);
  };
  const png = { compressionLevel: 0 };
  const printed = sharp(file).composite([{ input: lines(200, [60, 4], [150, 4]) }]);
  // Skews the paper, but not the dirt on the glass.
  const askew = sharp(await printed.png(png).toBuffer())
    .rotate(skew, { background: 'white' })
    .resize(width, height, { fit: 'cover' });
  const dirty = sharp(await askew.png(png).toBuffer()).composite([
    { input: lines(0, [34, 4], [100, 10], [4, 4]) },
  ]);
  return scanned(path.join(directory, `dirty${skew}.tif`), dirty);
}

test('streaks from dirty glass are detected; rules and edges are not', async ({
  directory,
  workOn,
}) => {
  const [straight, askew] = [await dirtyPage(directory, 0), await dirtyPage(directory, 2)];
  for (const [{ file }, rotate, found] of [
    [straight, 0, [34, 100]],
    [askew, 0, [34, 100]],
    [straight, 180, [100, 34]],
    [straight, 90, undefined],
  ] as const) {
    const page = await openPage(workOn(file, { options: { rotate } }));
    const { findings } = await examinePage(page, workOn(file));
    assert.equal(findings.streaks?.map(Math.round), found, `${file} turned by ${rotate}°`);
  }
});

test('a black line down the page does not prevent the examination', async (bench) => {
  // A streak must be darker than its surroundings, so only the middle of the line counts as one.
  const page = drawing([800, 1100], '#f5f5f5', '<rect x="300" width="8" height="1100"/>');
  const image = await scanned(path.join(bench.directory, 'line.tif'), page);
  const { findings, warnings } = await examine(bench, { image });
  assert.equal(warnings, []);
  assert.is(findings.streaks?.length, 1);
});

/**
 * Generated pages, the same on every machine. Keeping a blank page is a minor error; dropping a
 * page may lose content. See ../python/blank-set/measure.py.
 */
interface ScoredPage {
  readonly label: 'blank' | 'content';
  readonly kind: string;
  readonly mode: string;
  readonly score: number;
  readonly mark: { readonly x_mm: number } | null;
}

const PYTHON_DIR = path.resolve(import.meta.dirname, '../../../../helpers/processor/python');
const BLANK_SET = path.resolve(import.meta.dirname, '../python/blank-set/measure.py');
/** Time limit for the set of pages, which takes ten seconds of CPU. */
const TIMEOUT_MS = 15 * 60_000;
/** Share of blank pages. Pages with sharp specks or dirt, or of soiled coloured paper, may stay. */
const LEAST_DROPPED_SHARE = 0.85;

const pages = await scoredPages();
const blankness = suite('telling blank pages from others');

async function scoredPages(): Promise<ScoredPage[]> {
  const args = ['-B', BLANK_SET, PYTHON_DIR, PAGES_DIR];
  const scored = await outputOf('/usr/bin/python3', args, { timeoutMs: TIMEOUT_MS });
  return scored
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

function having(label: ScoredPage['label']): ScoredPage[] {
  return pages.filter((page) => page.label === label);
}

function isBlank({ score }: ScoredPage): boolean {
  return score < BLANK_BELOW;
}

blankness('the set is large enough and covers every mode', () => {
  assert.ok(pages.length >= 160, String(pages.length));
  assert.ok(having('blank').length >= 55);
  const modes = new Set(pages.map(({ mode }) => mode));
  assert.equal([...modes].toSorted(), ['128', '170', 'colour', 'dithered', 'gray', 'local']);
});

blankness(
  'no page with content is taken for blank, wherever it stands and however faint it is',
  () => {
    const lost = having('content').filter(isBlank);
    assert.equal(lost, []);
  },
);

blankness('most blank pages are detected, whatever dirt is on them', () => {
  const blank = having('blank');
  const dropped = blank.filter(isBlank).length;
  assert.ok(dropped / blank.length >= LEAST_DROPPED_SHARE, `${dropped} of ${blank.length}`);
});

blankness('clean pages are detected in every mode, on every paper', () => {
  const kept = having('blank').filter((page) => page.kind === 'plain' && !isBlank(page));
  assert.equal(kept, []);
});
