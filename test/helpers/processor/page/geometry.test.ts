import { mkdtemp } from 'node:fs/promises';
import path from 'node:path';
import sharp from 'sharp';
import { cropPage } from '../../../../helpers/processor/page/crop-page.ts';
import { moved } from '../../../../helpers/processor/page/motion.ts';
import { contextFor, type PageWork } from '../../../../helpers/processor/page/page-work.ts';
import type { PageImage } from '../../../../helpers/processor/page/plain-tiff.ts';
import { straighten } from '../../../../helpers/processor/page/straighten.ts';
import { plainReading } from '../../../../helpers/processor/page/reading.ts';
import { recognizeText } from '../../../../helpers/processor/page/tesseract.ts';
import { turnUpright, type ReadPage } from '../../../../helpers/processor/page/turn-upright.ts';
import { shippedPage } from '../../../support/pages.ts';
import { imagesOf, textOf } from '../support/inspect-pdf.ts';
import {
  drawing,
  opened,
  pageTests,
  pageTiff,
  pageWork,
  recognized,
  scanned,
  type PageBench,
} from '../support/page-samples.ts';
import { assert } from '../../../support/suite.ts';

const test = await pageTests('the geometry of a page');

const MM_PER_INCH = 25.4;

function near(found: number | undefined, expected: number, off: number, what: string): void {
  assert.ok(Math.abs((found ?? Number.NaN) - expected) <= off, `${what}: ${found}`);
}

const BACKING_DPI = 75;
const FEEDER = [215.9, 355.6] as const;
const AREA = [637, 1050] as const;

const NOISE = await (async () => {
  const noise = { type: 'gaussian', mean: 128, sigma: 5 } as const;
  const [width, height] = AREA;
  const create = { width, height, channels: 3, background: '#808080', noise } as const;
  const { data, info } = await sharp({ create }).raw().toBuffer({ resolveWithObject: true });
  return { input: data, raw: info };
})();

interface Sample {
  readonly paper?: readonly [width: number, height: number];
  readonly at?: readonly [left: number, top: number];
  readonly backing?: string;
  readonly colour?: string;
  readonly skew?: number;
  /** SVG on the paper, in mm. */
  readonly print?: string;
}

function lines(width: number, colour: string): string {
  const rects = Array.from(
    { length: 12 },
    (_, index) =>
      `<rect x="20" y="${30 + index * 8}" width="${width}" height="2" fill="${colour}"/>`,
  );
  return rects.join('');
}

/** Adds sensor noise to a page and returns its size after cropping in mm, or undefined. */
async function cut(bench: PageBench, sample: Sample): Promise<number[] | undefined> {
  const { paper = FEEDER, at = [3, 0], backing = '#101010', colour = '#f6f4ee' } = sample;
  const { skew = 0, print = lines(60, '#222') } = sample;
  const [left, top] = paper === FEEDER ? [0, 0] : at;
  const [across, down] = paper;
  const page = drawing(
    AREA,
    backing,
    `<g transform="scale(${BACKING_DPI / MM_PER_INCH}) translate(${left} ${top}) rotate(${skew} ${across / 2} ${down / 2})">
      <rect width="${across}" height="${down}" fill="${colour}"/>${print}</g>`,
  );
  const image = await scanned(
    path.join(bench.directory, 'backing.tif'),
    page.composite([{ ...NOISE, blend: 'soft-light' }]),
    { dpi: BACKING_DPI, mode: 'colour' },
  );
  const given = { opened: image, byEdges: false };
  const after = await cropPage(
    { ...opened(image), cropped: false },
    given,
    bench.workOn(image.file),
  );
  if (!after.cropped) return undefined;
  return [after.image.width, after.image.height].map((side) =>
    Math.round((side * MM_PER_INCH) / BACKING_DPI),
  );
}

/** Expected size in mm: the paper plus a millimetre of backing on each cropped side. */
const CUT: Readonly<Record<string, readonly [Sample, width: number, height: number]>> = {
  'A4 on black': [{ paper: [210, 297] }, 212, 298],
  'a receipt': [{ paper: [80, 160], at: [60, 0], backing: '#181818' }, 82, 161],
  'Letter that fills the width': [{ paper: [216, 279], at: [0, 0], backing: '#202020' }, 216, 280],
  'A5 in the corner of the glass': [
    { paper: [148, 210], at: [0, 0], backing: '#303030' },
    149,
    211,
  ],
  'gray paper on dark gray': [
    { paper: [148, 210], backing: '#3c3c3c', colour: '#b0b0a8' },
    150,
    211,
  ],
  'cream paper on white': [{ paper: [148, 210], backing: '#ffffff' }, 150, 211],
  'a yellow receipt in the corner of the glass, on white': [
    { paper: [80, 160], at: [0, 0], backing: '#fafafa', colour: '#e4d4a4' },
    81,
    161,
  ],
};
for (const [what, [sample, width, height]] of Object.entries(CUT)) {
  test(`${what} is cut to within a millimetre`, async (bench) => {
    const [across, down] = (await cut(bench, sample)) ?? [];
    near(across, width, 1, 'mm wide');
    near(down, height, 1, 'mm high');
  });
}

test('skewed paper loses nothing', async (bench) => {
  const sample = { paper: [120, 180], at: [40, 20], skew: 2 } as const;
  const [width = 0, height = 0] = (await cut(bench, sample)) ?? [];
  assert.ok(width >= 126 && width < 130 && height >= 184 && height < 188, `${width} x ${height}`);
});

const WHITE = { backing: '#ffffff', colour: '#ffffff' };
const BLOCK = Array.from(
  { length: 60 },
  (_, row) => `<rect x="30" y="${30 + row * 4}" width="150" height="2.4" fill="#444"/>`,
).join('');
const LEFT: Readonly<Record<string, Sample>> = {
  'as white as the backing': { ...WHITE, paper: [210, 297] },
  'with a tinted box on white, and a page number below it': {
    paper: [100, 200],
    at: [40, 20],
    backing: '#ffffff',
    print: '<rect x="49" y="240" width="0.7" height="2.5" fill="#333"/>',
  },
  'as white as the backing, with a block of text': { ...WHITE, paper: [210, 297], print: BLOCK },
  'on a gray backing': { paper: [210, 297], backing: '#999999' },
  'whose edge is printed dark': {
    backing: '#fff',
    print: '<rect width="40" height="400" fill="#111"/>',
  },
  'with a dark blue foot': {
    backing: '#fff',
    print: '<rect y="300" width="300" height="99" fill="#1a2f9a"/>',
  },
  'with a photo that runs off the paper': {
    backing: '#fff',
    print:
      '<rect width="300" height="400" fill="#151515"/><circle cx="100" cy="170" r="90" fill="#bbb"/>',
  },
  'that is black with white print': {
    backing: '#000',
    colour: '#111',
    print: lines(60, '#eee').replace('width="60"', 'width="150"'),
  },
  'of a business card': { paper: [85, 45], at: [60, 0] },
};
for (const [what, sample] of Object.entries(LEFT)) {
  test(`a page ${what} is left as it is`, async (bench) => {
    assert.equal(await cut(bench, sample), undefined);
  });
}

test('a page is straightened before it is cropped, and reports it', async (bench) => {
  const area = { left: 0, top: 0, width: 2480, height: 1400 };
  const paper = await sharp(shippedPage('letter-bank').file).extract(area).png().toBuffer();
  const background = '#141414';
  const askew = sharp(paper)
    .rotate(1.5, { background })
    .extend({ bottom: 300, right: 60, left: 60, background });
  const { file } = await scanned(path.join(bench.directory, 'askew.tif'), askew);
  const { facts, warnings, pdf } = await bench.recognize(file, {
    options: { deskew: true, crop: true },
  });
  assert.equal([facts.cropped, warnings], [true, []]);
  near(facts.turned, -1.5, 0.2, 'degrees');
  assert.ok(facts.words > 100);
  const [image] = await imagesOf(pdf);
  near(image?.width, 2500, 30, 'pixels wide');
  near(image?.height, 1420, 30, 'pixels high');
});

function cornerTiff(directory: string, mode: 'bits' | 'gray' | 'colour'): Promise<PageImage> {
  const [width, height, side] = [900, 1200, 90];
  const blocks = [0, width - side].flatMap((x) =>
    [0, height - side].map(
      (y) => `<rect x="${x}" y="${y}" width="${side}" height="${side}" fill="#152a6b"/>`,
    ),
  );
  const page = drawing([width, height], '#f4eedd', blocks.join(''));
  return scanned(path.join(directory, 'corners.tif'), page, { dpi: 150, mode });
}

/** The number of ink pixels; the darkest and brightest pixel along the upper and lower edge. */
async function inkOf(
  file: string,
): Promise<{ ink: number; darkestEdge: number; brightestEdge: number }> {
  const gray = sharp(file).grayscale().toColourspace('b-w').raw();
  const { data, info } = await gray.toBuffer({ resolveWithObject: true });
  const ink = data.reduce((count, value) => count + (value < 128 ? 1 : 0), 0);
  const edges = [...data.subarray(0, info.width), ...data.subarray(-info.width)];
  return { ink, darkestEdge: Math.min(...edges), brightestEdge: Math.max(...edges) };
}

for (const [mode, skew] of [
  ['bits', -5],
  ['gray', 0.4],
  ['colour', 15],
] as const) {
  test(`no corner is cut off at ${skew}° (${mode})`, async ({ directory, workOn }) => {
    const image = await cornerTiff(directory, mode);
    const { file, width, height } = image;
    const { image: straight, motion } = await straighten(opened(image), skew, workOn(file));
    const [before, after] = [await inkOf(file), await inkOf(straight.file)];
    assert.ok(Math.abs(after.ink / before.ink - 1) < 0.01, `${after.ink} of ${before.ink}`);
    // The reported size is that of the file, and the corners of the page are inside.
    const size = await sharp(straight.file).metadata();
    assert.equal([straight.width, straight.height], [size.width, size.height]);
    for (const corner of [0, width].flatMap((x) => [0, height].map((y) => [x, y] as const))) {
      const [x, y] = moved(motion, corner);
      near(x, straight.width / 2, straight.width / 2 + 1.5, 'across');
      near(y, straight.height / 2, straight.height / 2 + 1.5, 'down');
    }
  });
}

for (const skew of [0.4, -3]) {
  test(`with free edges, a page keeps its size at ${skew}°`, async ({ directory, workOn }) => {
    const letter = await pageTiff(directory, 'letter-landlord', { height: 1300 });
    const { image } = await straighten(opened(letter), skew, workOn(letter.file));
    assert.equal([image.width, image.height], [letter.width, letter.height]);
    const { darkestEdge } = await inkOf(image.file);
    assert.ok(darkestEdge > 215, String(darkestEdge));
  });
}

/** A letter that lies askew by 2° on an A4 scan, as a feeder with this backing delivers it. */
async function fedAskew(directory: string, backing: string): Promise<PageImage> {
  const letter = await pageTiff(directory, 'letter-landlord');
  const turned = await sharp(letter.file).rotate(2, { background: backing }).png().toBuffer();
  const { width, height } = await sharp(turned).metadata();
  const page = sharp(turned).extract({
    left: Math.round((width - letter.width) / 2),
    top: Math.round((height - letter.height) / 2),
    width: letter.width,
    height: letter.height,
  });
  return scanned(path.join(directory, 'askew.tif'), page);
}

for (const backing of ['#101010', '#787878', '#c8c8c8']) {
  test(`paper stays A4 if only the backing (${backing}) leaves the page`, async (bench) => {
    const image = await fedAskew(bench.directory, backing);
    const straight = await straighten(opened(image), 2, bench.workOn(image.file));
    const { width, height, file } = straight.image;
    assert.equal([width, height], [image.width, image.height]);
    const inner = sharp(file).extract({
      left: 12,
      top: 12,
      width: width - 24,
      height: height - 24,
    });
    const { file: whole } = await scanned(path.join(bench.directory, 'inner.tif'), inner);
    const { darkestEdge } = await inkOf(whole);
    assert.ok(darkestEdge > 215, String(darkestEdge));
  });
}

/** A page of 150 × 200 mm with blocks at these places, in mm. */
function printedAt(
  directory: string,
  places: readonly (readonly [x: number, y: number])[],
  [paper, ink]: readonly [string, string] = ['#f4f4f0', '#303030'],
): Promise<PageImage> {
  const blocks = places.map(
    ([x, y]) => `<rect x="${x}" y="${y}" width="6" height="4" fill="${ink}"/>`,
  );
  const group = `<g transform="scale(${150 / MM_PER_INCH})">${blocks.join('')}</g>`;
  const page = drawing([886, 1181], paper, group);
  return scanned(path.join(directory, 'printed.tif'), page, { dpi: 150 });
}

test('a page with print at one side moves instead of growing', async ({ directory, workOn }) => {
  const image = await printedAt(directory, [
    [0.5, 194],
    [0.5, 100],
    [60, 0.5],
  ]);
  const { image: straight } = await straighten(opened(image), -3, workOn(image.file));
  assert.equal([straight.width, straight.height], [image.width, image.height]);
  const [before, after] = [await inkOf(image.file), await inkOf(straight.file)];
  assert.ok(after.ink > 0.99 * before.ink, `${after.ink} of ${before.ink}`);
});

test('a page with print at opposite sides grows, also if it is light on dark', async ({
  directory,
  workOn,
}) => {
  const image = await printedAt(
    directory,
    [
      [0.5, 194],
      [143.5, 2],
    ],
    ['#202020', '#f0f0f0'],
  );
  const { image: straight } = await straighten(opened(image), -3, workOn(image.file));
  assert.ok(straight.width > image.width, `${straight.width}`);
  const light = async (file: string): Promise<number> => {
    const { data } = await sharp(file).raw().toBuffer({ resolveWithObject: true });
    return data.reduce((count, value) => count + (value > 128 ? 1 : 0), 0);
  };
  assert.ok((await light(straight.file)) > 0.99 * (await light(image.file)));
});

test('specks at the edge do not smear into the corners', async ({ directory, workOn }) => {
  const specks = Array.from({ length: 6000 }, (_, at) => {
    const [x, y] = [(at * 7919) % 880, (at * 104_729) % 1181];
    return `<rect x="${x}" y="${y}" width="3" height="3" fill="#000"/>`;
  });
  const page = drawing([886, 1181], '#ffffff', specks.join(''));
  const image = await scanned(path.join(directory, 'specks.tif'), page, { dpi: 150 });
  const straight = await straighten(opened(image), 5, workOn(image.file));
  const { left, top } = { left: 0, top: straight.image.height - 12 };
  const corner = sharp(straight.image.file).extract({ left, top, width: 12, height: 12 });
  const { data } = await corner.raw().toBuffer({ resolveWithObject: true });
  assert.is(Math.min(...data), 255);
});

test('the backing fills the corners that become free', async ({ directory, workOn }) => {
  const paper = '<rect x="100" y="100" width="700" height="1000" fill="#f4f4f0"/>';
  const page = drawing([900, 1200], '#303030', paper);
  const image = await scanned(path.join(directory, 'backing.tif'), page, { dpi: 150 });
  const straight = await straighten(opened(image), 5, workOn(image.file));
  const { darkestEdge, brightestEdge } = await inkOf(straight.image.file);
  assert.ok(darkestEdge > 30 && brightestEdge < 70, `${darkestEdge} to ${brightestEdge}`);
});

async function read(image: PageImage, work: PageWork): Promise<ReadPage> {
  const context = contextFor(image, work, 'recognition');
  const recognition = await recognizeText(plainReading(image), work.job.options.languages, context);
  const page = opened(image);
  return { ...page, reading: plainReading(image), recognition };
}

test('an upright page is left alone and read only once', async ({ directory, toolbox, workOn }) => {
  const image = await pageTiff(directory, 'invoice', { height: 1200 });
  const before = await read(image, workOn(image.file));
  const run = (): Promise<never> => Promise.reject(new Error('not expected'));
  const recognizers = { run, close: () => Promise.resolve() };
  const nothingElse = workOn(image.file, { toolbox: { ...toolbox, recognizers } });
  assert.is(await turnUpright(before, nothingElse), before);
});

test('a page whose second reading fails keeps the first', async ({
  directory,
  toolbox,
  workOn,
}) => {
  const image = await pageTiff(directory, 'invoice', { turned: 180, height: 1200 });
  const before = await read(image, workOn(image.file));
  await toolbox.replace({ tesseract: 'kill -SEGV $$' });
  assert.is(await turnUpright(before, workOn(image.file)), before);
});

test('a page of few words is turned like its stack', async ({ directory, toolbox, workOn }) => {
  const follow = async ({ file }: PageImage): ReturnType<typeof recognized> => {
    const own = await mkdtemp(path.join(directory, 'page-'));
    const options = { usual_turn: 180, rotate_pages: true } as const;
    return recognized(pageWork(own, file, { toolbox, options }));
  };
  const sparse = await pageTiff(directory, 'letter-bank', { turned: 180, height: 230 });
  const alone = workOn(sparse.file);
  assert.is((await turnUpright(await read(sparse, alone), alone)).turned, 0);
  const { facts } = await follow(sparse);
  assert.is(facts.turned, 180);
  assert.ok((facts.confidence ?? 0) > 65, String(facts.confidence));
  const upright = await pageTiff(directory, 'letter-bank', { height: 230 });
  assert.is((await follow(upright)).facts.turned, 0);
  const dust = await pageTiff(directory, 'blank-back-dust', { height: 800 });
  assert.is((await follow(dust)).facts.turned, 180);
});

/** How the paper lies, the requested rotation, automatic rotation on or off, and the total turn. */
const TURNED: readonly (readonly [
  what: string,
  lies: 0 | 90 | 180 | 270,
  rotate: 0 | 90 | 180 | 270,
  rotate_pages: boolean,
  turned: number,
])[] = [
  ['side that the feeder scans upside down', 180, 180, true, 180],
  ['sheet that was put into it upside down', 0, 180, true, 0],
  ['page that a person turned to the right', 270, 90, false, 90],
  ['page that a person turned to the left', 90, 270, false, 270],
];
for (const [what, lies, rotate, rotate_pages, turned] of TURNED) {
  test(`a ${what} is read in its final orientation`, async ({ directory, recognize }) => {
    const { file } = await pageTiff(directory, 'letter-bank', { turned: lies, height: 700 });
    const { facts, pdf, warnings } = await recognize(file, { options: { rotate, rotate_pages } });
    assert.equal([facts.turned, warnings], [turned, []]);
    assert.match(await textOf(pdf), /Northgate Savings Bank/);
  });
}
