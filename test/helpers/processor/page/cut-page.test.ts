import { mkdtemp, readFile } from 'node:fs/promises';
import path from 'node:path';
import sharp from 'sharp';
import { quarterTurn, type Crop } from '../../../../helpers/page-crop.ts';
import { openPage } from '../../../../helpers/processor/page/open-page.ts';
import type { PageImage } from '../../../../helpers/processor/page/plain-tiff.ts';
import type { PageOptions } from '../../../../helpers/processor-contract.ts';
import { assert, failure } from '../../../support/suite.ts';
import { askewScan, type AskewPaper } from '../support/askew-scan.ts';
import { imagesOf, placedWords, type PlacedWord } from '../support/inspect-pdf.ts';
import {
  drawing,
  pageTests,
  pageTiff,
  pageWork,
  recognized,
  scanned,
  type PageBench,
} from '../support/page-samples.ts';

const test = await pageTests('the part of a page that a person chose');

const POINTS_PER_MM = 72 / 25.4;
const MOST_OFF_MM = 0.5;
const HALF: Crop = { x: 0.2, y: 0.2, width: 0.52, height: 0.24, angle: 0 };

async function read(
  { directory, toolbox }: PageBench,
  { file }: PageImage,
  options: Partial<PageOptions> = {},
): ReturnType<typeof recognized> {
  const own = await mkdtemp(path.join(directory, 'page-'));
  return recognized(pageWork(own, file, { toolbox, options }));
}

/** The number of words that occur once in both lists, and their largest shift in mm. */
function compared(
  found: readonly PlacedWord[],
  expected: readonly PlacedWord[],
): readonly [common: number, off: number] {
  const once = (words: readonly PlacedWord[]): ReadonlyMap<string, PlacedWord> => {
    const all = Map.groupBy(words, ({ text }) => text);
    return new Map(
      [...all].flatMap(([text, [word, ...others]]) =>
        word && others.length === 0 ? [[text, word]] : [],
      ),
    );
  };
  const own = once(found);
  const pairs = [...once(expected)].flatMap(([text, word]) => {
    const other = own.get(text);
    return other ? [[word, other] as const] : [];
  });
  const off = pairs.flatMap(([a, b]) => [
    Math.abs(a.left - b.left),
    Math.abs(a.right - b.right),
    Math.abs(a.top - b.top),
    Math.abs(a.bottom - b.bottom),
  ]);
  return [pairs.length, Math.max(...off) / POINTS_PER_MM];
}

for (const [what, angle, turned, mode] of [
  ['askew', 4, 0, 'gray'],
  ['askew and sideways', -7.5, 90, 'gray'],
  ['upside down, in black and white', 2, 180, 'bits'],
  ['straight, and sideways', 0, 270, 'colour'],
] as const) {
  test(`has its words where they are printed: a receipt that is ${what}`, async (bench) => {
    const paper = await pageTiff(bench.directory, 'receipt', { height: 1600 });
    const printed = await placedWords((await read(bench, paper)).pdf);
    const { image, crop } = await askewScan(bench.directory, { paper, angle, turned, mode });
    const before = await readFile(image.file);
    const { pdf, facts, warnings } = await read(bench, image, {
      cut: crop,
      rotate: quarterTurn(-turned),
    });
    const [common, off] = compared(await placedWords(pdf), printed);
    assert.ok(common > printed.length / 3, `${common} of ${printed.length}`);
    assert.ok(off <= MOST_OFF_MM, `${off} mm off`);
    assert.equal([warnings, facts.cropped, facts.turned], [[], null, quarterTurn(-turned)]);
    const [stored] = await imagesOf(pdf);
    assert.equal([stored?.width, stored?.height], [paper.width, paper.height]);
    assert.ok(before.equals(await readFile(image.file)));
  });
}

test('has the pixels of the scan if it is not turned', async ({ directory, workOn }) => {
  const image = await pageTiff(directory, 'receipt');
  const page = await openPage(workOn(image.file, { options: { cut: HALF } }));
  const box = {
    left: Math.round(HALF.x * image.width),
    top: Math.round(HALF.y * image.height),
    width: Math.round(HALF.width * image.width),
    height: Math.round(HALF.height * image.height),
  };
  assert.equal([page.image.width, page.image.height], [box.width, box.height]);
  const [cut, part] = await Promise.all(
    [sharp(page.image.file), sharp(image.file).extract(box)].map((one) =>
      one.toColourspace('b-w').raw().toBuffer(),
    ),
  );
  assert.ok(part && cut?.equals(part));
});

test('continues in the colour of the paper beyond the edges of the page', async ({
  directory,
  workOn,
}) => {
  const white = drawing([600, 800], '#f0f0f0', '<rect x="200" y="200" width="200" height="200"/>');
  for (const mode of ['gray', 'colour', 'bits'] as const) {
    const image = await scanned(path.join(directory, `${mode}.tif`), white, { dpi: 100, mode });
    const cut = { x: 0, y: 0, width: 1, height: 1, angle: 45 };
    const page = await openPage(workOn(image.file, { options: { cut } }));
    const corner = { left: 0, top: 0, width: 30, height: 30 };
    const pixels = await sharp(page.image.file)
      .toColourspace('b-w')
      .extract(corner)
      .raw()
      .toBuffer();
    assert.ok(Math.min(...pixels) >= 230, `${mode}: ${Math.min(...pixels)}`);
    assert.equal([page.image.width, page.image.height], [600, 800]);
  }
});

test('may have the minimum size, on a small and coarse page', async (bench) => {
  const dots = drawing([60, 80], '#fff', '<rect x="2" y="2" width="1" height="1"/>');
  const image = await scanned(path.join(bench.directory, 'coarse.tif'), dots, { dpi: 72 });
  for (const angle of [0, 45]) {
    const cut = { x: 0.03, y: 0.02, width: 0.02, height: 0.02, angle };
    const { pdf } = await read(bench, image, { cut, deskew: true, codes: true, find_paper: true });
    const [{ width, height } = {}] = await imagesOf(pdf);
    assert.equal([width, height], [1, 2]);
  }
});

test('is not replaced by the whole page if cropping fails', async (bench) => {
  const image = await pageTiff(bench.directory, 'receipt', { height: 300 });
  const { toolbox } = bench;
  const python: typeof toolbox.python = {
    ...toolbox.python,
    run: (job, context) =>
      job.job === 'cut' ? Promise.reject(new Error('broken')) : toolbox.python.run(job, context),
  };
  const broken = { ...bench, toolbox: { ...toolbox, python } };
  const { message } = await failure('processing_failed', read(broken, image, { cut: HALF }));
  assert.match(message, /could not be cropped/);
});

/** Tolerances. Half a degree moves the end of a receipt of 10 cm by a millimetre. */
const [NEAR_MM, NEAR_DEGREES] = [2, 0.5];

function isNear(found: Crop | null | undefined, crop: Crop, { width, height }: PageImage): void {
  const what = `${JSON.stringify(found)} instead of ${JSON.stringify(crop)}`;
  assert.ok(found, what);
  const mm = (fraction: number, pixels: number): number =>
    (Math.abs(fraction) * pixels * 25.4) / 300;
  const off = [
    mm(found.x - crop.x, width),
    mm(found.y - crop.y, height),
    mm(found.x + found.width - crop.x - crop.width, width),
    mm(found.y + found.height - crop.y - crop.height, height),
  ];
  assert.ok(Math.max(...off) <= NEAR_MM, `${off.join(', ')} mm: ${what}`);
  assert.ok(Math.abs(found.angle - crop.angle) <= NEAR_DEGREES, what);
}

const PAPERS: Readonly<Record<string, Omit<AskewPaper, 'paper'>>> = {
  'lies straight': { angle: 0 },
  'lies askew': { angle: 5 },
  'lies askew the other way, on a page that is turned': { angle: -3, turned: 90 },
  'lies askew before a white backing': { angle: 4, backing: '#ffffff', mode: 'colour' },
  'is in black and white, upside down': { angle: 2, turned: 180, mode: 'bits' },
};
for (const [what, sample] of Object.entries(PAPERS)) {
  test(`is proposed if the paper ${what}`, async (bench) => {
    const tinted = sample.backing === '#ffffff' ? '#fbf3dc' : '#ffffff';
    const paper = await tintedReceipt(bench.directory, tinted);
    const { image, crop } = await askewScan(bench.directory, { paper, ...sample });
    const { turned = 0 } = sample;
    for (const asked of [{}, { crop: true, deskew: true }]) {
      const options = { find_paper: true, rotate: quarterTurn(-turned), ...asked };
      const { facts } = await read(bench, image, options);
      isNear(facts.paper, crop, image);
    }
  });
}

async function tintedReceipt(directory: string, tint: string): Promise<PageImage> {
  const gray = await pageTiff(directory, 'receipt', { height: 1600 });
  const { width, height } = gray;
  const colour = { create: { width, height, channels: 3, background: tint } } as const;
  const image = sharp(
    await sharp(colour)
      .composite([{ input: gray.file, blend: 'multiply' }])
      .png()
      .toBuffer(),
  );
  return scanned(path.join(directory, 'tinted.tif'), image, { mode: 'colour' });
}

test('is not proposed if the paper fills the page or cannot be distinguished from it', async (bench) => {
  const image = await pageTiff(bench.directory, 'invoice', { height: 1200 });
  for (const asked of [{}, { crop: true }]) {
    const { facts } = await read(bench, image, { find_paper: true, ...asked });
    assert.is(facts.paper, null);
  }
  assert.is('paper' in (await read(bench, image)).facts, false);
});

test('is not proposed if the detection fails, and the page is processed nevertheless', async (bench) => {
  const image = await pageTiff(bench.directory, 'receipt', { height: 300 });
  const { toolbox } = bench;
  const python: typeof toolbox.python = {
    ...toolbox.python,
    run: (job, context) =>
      job.job === 'find_place'
        ? Promise.reject(new Error('broken'))
        : toolbox.python.run(job, context),
  };
  const broken = { ...bench, toolbox: { ...toolbox, python } };
  const { facts, warnings } = await read(broken, image, { find_paper: true });
  assert.equal(['paper' in facts, warnings], [false, []]);
});
