import path from 'node:path';
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { STILL } from '../../../../helpers/processor/page/motion.ts';
import { cropPage } from '../../../../helpers/processor/page/crop-page.ts';
import {
  createPythonJobs,
  type PythonJobs,
} from '../../../../helpers/processor/tools/python-jobs.ts';
import { WORKER_SCRIPT } from '../../../../helpers/processor/tools/python-worker.ts';
import { capturedLog } from '../../../support/captured-log.ts';
import { makeHardPages } from '../../../support/hard-pages.ts';
import { shippedPage } from '../../../support/pages.ts';
import {
  temporaryDirectory,
  type TemporaryDirectory,
} from '../../../support/temporary-directory.ts';
import { REAL_PATH } from '../support/fake-programs.ts';
import { imagesOf } from '../support/inspect-pdf.ts';
import { pageWork, recognized } from '../support/page-samples.ts';

interface Bench {
  temporary: TemporaryDirectory;
  /** One for all cases: starting it takes longer than they do. */
  python: PythonJobs;
}

const test = suite<Bench>('cutting a page to its paper');

test.before(async (context) => {
  context.temporary = await temporaryDirectory();
  context.python = createPythonJobs({
    searchPath: REAL_PATH,
    log: capturedLog().log,
    script: WORKER_SCRIPT,
  });
});
test.after(async ({ temporary, python }) => {
  await python.close();
  await temporary.remove();
});

/** The size of what is left of a page, in mm; undefined where it is not cut. */
async function cut({ temporary, python }: Bench, sample: Sample): Promise<number[] | undefined> {
  const file = await scannedTiff(temporary.path, sample);
  const { job, parts } = pageWork(temporary.path, file);
  const toolbox = { ...parts.toolbox, python };
  const [width, height] = [pixels(FEEDER.width), pixels(FEEDER.height)];
  const image = { file, width, height, dpi: DPI, bilevel: false };
  const page = { image, motion: STILL, turned: 0, cropped: false, warnings: [] };
  const after = await cropPage(
    page,
    { opened: image, byEdges: false },
    { job, parts: { ...parts, toolbox } },
  );
  if (!after.cropped) return undefined;
  return [millimetres(after.image.width), millimetres(after.image.height)];
}

const DPI = 75;
/** The area of a feeder, in mm. */
const FEEDER = { width: 215.9, height: 355.6 };

interface Sample {
  /** Size of the paper and its place, in mm. */
  readonly paper: readonly [width: number, height: number];
  readonly at?: readonly [left: number, top: number];
  readonly backing: string;
  readonly paperColour?: string;
  /** In degrees. */
  readonly skew?: number;
  /** SVG on the paper, in mm. */
  readonly print?: string;
}

const pixels = (mm: number): number => Math.round((mm * DPI) / 25.4);
const millimetres = (count: number): number => Math.round((count * 25.4) / DPI);

/** A page as a scanner with that backing delivers it, with the noise of a sensor. */
async function scannedTiff(directory: string, sample: Sample): Promise<string> {
  const { paper, at = [3, 0], backing, paperColour = '#f6f4ee', skew = 0, print = '' } = sample;
  const [width, height] = paper;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${pixels(FEEDER.width)}" height="${pixels(FEEDER.height)}" viewBox="0 0 ${FEEDER.width} ${FEEDER.height}">
    <rect width="100%" height="100%" fill="${backing}"/>
    <g transform="translate(${at[0]} ${at[1]}) rotate(${skew} ${width / 2} ${height / 2})">
      <rect width="${width}" height="${height}" fill="${paperColour}"/>${print}</g></svg>`;
  const noise = await sharp({
    create: {
      width: pixels(FEEDER.width),
      height: pixels(FEEDER.height),
      channels: 3,
      background: '#808080',
      noise: { type: 'gaussian', mean: 128, sigma: 5 },
    },
  })
    .png()
    .toBuffer();
  const file = path.join(directory, 'backing.tif');
  const perMm = DPI / 25.4;
  await sharp(Buffer.from(svg))
    .composite([{ input: noise, blend: 'soft-light' }])
    .removeAlpha()
    .toColourspace('srgb')
    .tiff({ compression: 'none', xres: perMm, yres: perMm, resolutionUnit: 'inch' })
    .toFile(file);
  return file;
}

const LINES = Array.from({ length: 12 }, (_, index) => {
  return `<rect x="20" y="${30 + index * 8}" width="60" height="2" fill="#222"/>`;
}).join('');

/** What is expected is the paper with a millimetre of backing on each side that is cut. */
const CUT: [string, Sample, [number, number]][] = [
  ['A4 on black', { paper: [210, 297], at: [3, 0], backing: '#101010' }, [212, 298]],
  ['a receipt', { paper: [80, 160], at: [60, 0], backing: '#181818' }, [82, 161]],
  [
    'Letter that fills the width',
    { paper: [216, 279], at: [0, 0], backing: '#202020' },
    [216, 280],
  ],
  [
    'A5 in the corner of the glass',
    { paper: [148, 210], at: [0, 0], backing: '#303030' },
    [149, 211],
  ],
  [
    'gray paper on dark gray',
    { paper: [148, 210], backing: '#3c3c3c', paperColour: '#b0b0a8' },
    [150, 211],
  ],
  ['cream paper on white', { paper: [148, 210], backing: '#ffffff' }, [150, 211]],
  [
    'a yellow receipt in the corner of the glass, on white',
    { paper: [80, 160], at: [0, 0], backing: '#fafafa', paperColour: '#e4d4a4' },
    [81, 161],
  ],
];

for (const [what, sample, [width, height]] of CUT) {
  test(`${what} is cut to within a millimetre`, async (bench) => {
    const [found, foundHeight] = (await cut(bench, { print: LINES, ...sample })) ?? [0, 0];
    assert.ok(Math.abs((found ?? 0) - width) <= 1, `${found} mm wide`);
    assert.ok(Math.abs((foundHeight ?? 0) - height) <= 1, `${foundHeight} mm high`);
  });
}

test('paper that lies askew loses nothing', async (bench) => {
  const sample = { paper: [120, 180], at: [40, 20], backing: '#101010', skew: 2 } as const;
  const [width = 0, height = 0] = (await cut(bench, sample)) ?? [];
  assert.ok(width >= 126 && width < 130 && height >= 184 && height < 188, `${width} x ${height}`);
});

const LEFT: [string, Sample][] = [
  ['as white as the backing', { paper: [210, 297], backing: '#ffffff', paperColour: '#ffffff' }],
  [
    'with a tinted box on white, and a page number below it',
    {
      paper: [100, 200],
      at: [40, 20],
      backing: '#ffffff',
      print: '<rect x="49" y="240" width="0.7" height="2.5" fill="#333"/>',
    },
  ],
  [
    'as white as the backing, with a block of text',
    {
      paper: [210, 297],
      backing: '#ffffff',
      paperColour: '#ffffff',
      print: Array.from(
        { length: 60 },
        (_, row) => `<rect x="30" y="${30 + row * 4}" width="150" height="2.4" fill="#444"/>`,
      ).join(''),
    },
  ],
  ['on a gray backing', { paper: [210, 297], backing: '#999999' }],
  [
    'whose edge is printed dark',
    {
      paper: [215.9, 355.6],
      at: [0, 0],
      backing: '#fff',
      print: '<rect width="40" height="400" fill="#111"/>',
    },
  ],
  [
    'with a dark blue foot',
    {
      paper: [215.9, 355.6],
      at: [0, 0],
      backing: '#fff',
      print: '<rect y="300" width="300" height="99" fill="#1a2f9a"/>',
    },
  ],
  [
    'with a photo that runs off the paper',
    {
      paper: [215.9, 355.6],
      at: [0, 0],
      backing: '#fff',
      print:
        '<rect width="300" height="400" fill="#151515"/><circle cx="100" cy="170" r="90" fill="#bbb"/>',
    },
  ],
  [
    'that is black with white print',
    {
      paper: [215.9, 355.6],
      at: [0, 0],
      backing: '#000',
      paperColour: '#111',
      print: LINES.replaceAll('#222', '#eee').replace('width="60"', 'width="150"'),
    },
  ],
  ['of a business card', { paper: [85, 45], at: [60, 0], backing: '#101010' }],
];

for (const [what, sample] of LEFT) {
  test(`a page ${what} is left as it is`, async (bench) => {
    assert.equal(await cut(bench, { print: LINES, ...sample }), undefined);
  });
}

test('a page is straightened before it is cut, and says that it was', async ({ temporary }) => {
  const paper = await sharp(shippedPage('letter-bank').file)
    .extract({ left: 0, top: 0, width: 2480, height: 1400 })
    .png()
    .toBuffer();
  const file = path.join(temporary.path, 'askew.tif');
  const perMm = 300 / 25.4;
  await sharp(paper)
    .rotate(1.5, { background: '#141414' })
    .extend({ bottom: 300, right: 60, left: 60, background: '#141414' })
    .toColourspace('b-w')
    .tiff({ compression: 'none', xres: perMm, yres: perMm, resolutionUnit: 'inch' })
    .toFile(file);
  const page = await recognized(
    pageWork(temporary.path, file, { options: { deskew: true, crop: true } }),
  );
  assert.equal([page.facts.cropped, page.warnings], [true, []]);
  assert.ok(Math.abs(page.facts.turned + 1.5) < 0.2, String(page.facts.turned));
  assert.ok(page.facts.words > 100);
  const [image] = await imagesOf(page.pdf);
  const size = `${image?.width} x ${image?.height}`;
  assert.ok(Math.abs((image?.width ?? 0) - 2500) < 30, size);
  assert.ok(Math.abs((image?.height ?? 0) - 1420) < 30, size);
});

const ASKEW: [string, number, [number, number]][] = [
  ['receipt-askew', 3.5, [82, 142]],
  ['receipt-askew-dark', -4, [82, 142]],
  ['card-askew', -9, [88, 56]],
  // Its print says nothing of its skew, but its edges do.
  ['card-dark-backing', 4, [88, 56]],
];

for (const [name, turned, [width, height]] of ASKEW) {
  test(`${name} is straightened and cut to its paper`, async ({ temporary, python }) => {
    const [page] = await makeHardPages(temporary.path, [name]);
    const work = pageWork(temporary.path, page?.tiff ?? '', {
      options: { deskew: true, crop: true, ocr: false },
    });
    const toolbox = { ...work.parts.toolbox, python };
    const { facts, pdf } = await recognized({ ...work, parts: { ...work.parts, toolbox } });
    assert.is(facts.cropped, true);
    const degrees = facts.turned > 180 ? facts.turned - 360 : facts.turned;
    assert.ok(Math.abs(degrees - turned) <= 0.5, `turned by ${facts.turned}`);
    const [image] = await imagesOf(pdf);
    const [across, down] = [image?.width ?? 0, image?.height ?? 0].map(
      (side) => (side * 25.4) / 300,
    );
    assert.ok(Math.abs((across ?? 0) - width) <= 2, `${across} mm wide`);
    assert.ok(Math.abs((down ?? 0) - height) <= 2, `${down} mm high`);
  });
}

test.run();
