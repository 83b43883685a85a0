import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import sharp, { type Sharp } from 'sharp';
import {
  createCodeReader,
  type CodeImage,
} from '../../../../helpers/processor/codes/code-reader.ts';
import { assert, rejection, suite, withFixture } from '../../../support/suite.ts';
import { MM_PER_INCH } from '../../../../helpers/paper.ts';
import { parsePgm } from '../../../../helpers/processor/codes/pgm.ts';
import { readPatchCodes } from '../../../../helpers/processor/codes/patch-code.ts';
import type { PageCode } from '../../../../helpers/page-facts.ts';
import { drawing } from '../support/page-samples.ts';
import { shippedPages } from '../../../support/pages.ts';
import { composed, printedCode, writePgm, type PrintedCode } from '../support/code-images.ts';

const LIMITS = { signal: new AbortController().signal, timeoutMs: 60_000 };
const DPI = 300;
const SQUARE = { width_mm: 110, height_mm: 110 };

const test = withFixture('reading codes', async (directory) => {
  const reader = createCodeReader();
  let count = 0;
  return {
    reader,
    directory,
    pgm: (image: Sharp, dpi = DPI): Promise<CodeImage> =>
      writePgm(image, path.join(directory, `${(count += 1)}.pgm`), dpi),
    script: async (text: string): Promise<URL> => {
      const file = path.join(directory, `${(count += 1)}.mjs`);
      await writeFile(file, text);
      return pathToFileURL(file);
    },
    close: () => reader.close(),
  };
});

async function pageWith(code: PrintedCode): Promise<Sharp> {
  const png = await printedCode(code, DPI);
  return composed(SQUARE, [{ png, x_mm: 12, y_mm: 9 }], DPI);
}

/** The narrowest code of each format that must be readable at any angle at 300 dpi. */
const CODES: readonly PrintedCode[] = [
  { format: 'Code39', text: 'PATCHT', width_mm: 80 },
  { format: 'Code39', text: 'ASN00123', width_mm: 40 },
  { format: 'Code128', text: 'ASN00123', width_mm: 25 },
  { format: 'QRCode', text: 'ASN00123', width_mm: 8 },
  { format: 'QRCode', text: 'TAG:invoices,tax München 🖨', width_mm: 20 },
  { format: 'QRCode', text: '../{profile}<script>\u0000\u001B[31m\u202E', width_mm: 20 },
];

for (const code of CODES) {
  test(`${code.format} ${code.text} is read at ${code.width_mm} mm, in any orientation`, async (given) => {
    for (const angle of code === CODES[0] ? [0, 1.5, 90, 180] : [-3, 273]) {
      const image = await given.pgm(await pageWith({ ...code, angle }));
      const texts = (await given.reader.read(image, LIMITS)).map(({ text }) => text);
      assert.equal(texts, [code.text], `${angle} degrees`);
    }
  });
}

test('reports the format of a code and its position in mm', async ({ reader, pgm }) => {
  const qr = await printedCode({ format: 'QRCode', text: 'ASN7', width_mm: 20 }, DPI);
  const bars = await printedCode({ format: 'Code128', text: 'ASN8', width_mm: 40 }, DPI);
  const things = [
    { png: qr, x_mm: 10, y_mm: 70 },
    { png: bars, x_mm: 50, y_mm: 10 },
  ];
  const found = await reader.read(await pgm(await composed(SQUARE, things, DPI)), LIMITS);
  const kinds = found.map(({ type, text }) => `${type} ${text}`);
  assert.equal(kinds.toSorted(), ['code128 ASN8', 'qr ASN7']);
  const [code] = found.filter(({ type }) => type === 'qr');
  // The reported place excludes the white margin around the code.
  const { x_mm = 0, y_mm = 0, width_mm = 0, height_mm = 0 } = code ?? {};
  assert.ok(x_mm >= 10 && y_mm >= 70 && x_mm + width_mm <= 33 && y_mm + height_mm <= 93);
  assert.ok(Math.abs(width_mm - 17) < 4 && Math.abs(height_mm - 17) < 4, String(width_mm));
});

test('codes of other formats are ignored', async ({ reader, pgm }) => {
  for (const code of [
    { format: 'DataMatrix', text: 'ASN00123', width_mm: 20 },
    { format: 'EAN13', text: '4006381333931', width_mm: 40 },
  ] as const) {
    assert.equal(await reader.read(await pgm(await pageWith(code)), LIMITS), []);
  }
});

const VARIANTS: readonly ((page: Sharp) => Sharp)[] = [
  (page) => page.rotate(90),
  (page) => page.flop(),
  (page) => page.threshold(140),
  (page) => page.threshold(190),
  (page) => page.blur(1.5),
  (page) => page.rotate(2, { background: 'white' }),
  (page) => page.negate(),
  (page) => page.linear(0.4, 120),
  (page) => page.resize({ width: 880 }),
];

test('no codes are found on pages without any, changed or not', async ({ reader, pgm }) => {
  for (const [number, { file }] of shippedPages().entries()) {
    const small = sharp(file).grayscale().resize({ width: 1240 }).raw();
    const { data, info: raw } = await small.toBuffer({ resolveWithObject: true });
    const variant = VARIANTS[number % VARIANTS.length] ?? ((page: Sharp) => page);
    for (const page of [sharp(data, { raw }), variant(sharp(data, { raw }))]) {
      const found = await reader.read(await pgm(page, 150), LIMITS);
      assert.equal(found, [], `${file} ${String(variant)}`);
    }
  }
});

test('an image that breaks the reader is just an error', async ({ reader, directory, pgm }) => {
  const garbage = path.join(directory, 'garbage.pgm');
  for (const bytes of ['P5\n99999 99999\n255\n', 'P5\n4 4\n255\nxx', '\0'.repeat(5000)]) {
    await writeFile(garbage, bytes);
    const failed = await rejection(reader.read({ file: garbage, dpi: DPI }, LIMITS));
    assert.instance(failed, Error);
  }
  assert.instance(await rejection(reader.read({ file: '/nowhere', dpi: 300 }, LIMITS)), Error);
  const image = await pgm(await pageWith({ format: 'QRCode', text: 'next', width_mm: 20 }));
  assert.is((await reader.read(image, LIMITS))[0]?.text, 'next');
});

test('a reader that throws, aborts or hangs is replaced for the next image', async ({ script }) => {
  for (const [fault, limit, expected] of [
    ["throw new Error('in pieces')", 60_000, /in pieces/],
    ['process.exit(134)', 60_000, /exit code 134/],
    ['setInterval(() => {}, 1000)', 100, /timeout/],
    ['for (;;) {}', 100, /timeout/],
  ] as const) {
    const worker = await script(`
      import { parentPort } from 'node:worker_threads';
      parentPort.on('message', ({ file }) => {
        if (file === 'bad') { ${fault} } else parentPort.postMessage([{ text: file }]);
      });`);
    const reader = createCodeReader(worker);
    const [first, second, third] = await Promise.allSettled(
      ['good', 'bad', 'good'].map((file) =>
        reader.read({ file, dpi: 300 }, { ...LIMITS, timeoutMs: file === 'bad' ? limit : 60_000 }),
      ),
    );
    assert.is(first?.status, 'fulfilled', fault);
    assert.match(String(second?.status === 'rejected' && second.reason), expected);
    assert.is(third?.status, 'fulfilled', fault);
    await reader.close();
  }
});

test('aborting a page ends reading with its reason', async ({ script }) => {
  const reader = createCodeReader(await script('setInterval(() => {}, 1000)'));
  const stop = new AbortController();
  const reading = rejection(
    reader.read({ file: 'x', dpi: 300 }, { signal: stop.signal, timeoutMs: 60_000 }),
  );
  stop.abort(new Error('the deadline'));
  assert.match(String(await reading), /the deadline/);
  await reader.close();
});

const patches = suite('reading Patch T');

const PATCH_DPI = 150;
/** Widths of bars and spaces from the edge inwards, in units of 0.08 inch. */
const PATCH_T = [1, 1, 2.5, 1, 1, 1, 2.5];
const PATCH_3 = PATCH_T.toReversed();

/** An A5 page with a patch code along its upper edge. Several `lengthsMm` split each bar. */
async function sheet(
  widths: readonly number[],
  lengthsMm: readonly number[] = [60],
): Promise<Buffer> {
  const narrow = 0.08 * PATCH_DPI;
  let y = 40;
  const bars = widths.map((width, index) => {
    const bar = lengthsMm.map((mm, piece) => {
      const length = (mm / MM_PER_INCH) * PATCH_DPI;
      return `<rect x="${150 + piece * 600}" y="${y}" width="${length}" height="${width * narrow}"/>`;
    });
    y += width * narrow;
    return index % 2 === 0 ? bar.join('') : '';
  });
  return drawing([874, 1240], '#eee', `<g fill="#333">${bars.join('')}</g>`)
    .png()
    .toBuffer();
}

async function readPatches(image: Sharp, dpi = PATCH_DPI): Promise<PageCode[]> {
  const gray = image.flatten({ background: 'white' }).grayscale().raw();
  const { data: pixels, info } = await gray.toBuffer({ resolveWithObject: true });
  return readPatchCodes({ width: info.width, height: info.height, pixels }, dpi);
}

patches('bars are read along every edge, at angles usual for feeders', async () => {
  const png = await sheet(PATCH_T);
  for (const angle of [0, 90, 180, 270, 2, -2, 182]) {
    const turned = sharp(png).rotate(angle, { background: '#eee' });
    const found = (await readPatches(turned)).map(({ type, text }) => `${type} ${text}`);
    assert.equal(found, ['patch_t PATCHT'], `${angle} degrees`);
  }
  const [code] = await readPatches(sharp(png));
  assert.ok(code);
  assert.equal([code?.y_mm, code?.height_mm], [6.8, 20.3]);
  // Along the bars, positions are accurate to a millimetre.
  assert.ok(Math.abs((code?.x_mm ?? 0) - 25.4) <= 1 && Math.abs((code?.width_mm ?? 0) - 60) <= 2);
  // A skewed code covers more height.
  const [aslant] = await readPatches(sharp(png).rotate(2, { background: '#eee' }));
  assert.ok(Math.abs((aslant?.height_mm ?? 0) - 22.4) <= 0.6, String(aslant?.height_mm));
});

patches('bars are read despite similar marks on the same lines', async () => {
  const found = await readPatches(sharp(await sheet(PATCH_T, [60, 5])));
  assert.equal(
    found.map(({ width_mm }) => Math.round(width_mm / 5) * 5),
    [60],
  );
});

patches(
  'bars are read when they are faint, blurred, black and white, or at another resolution',
  async () => {
    const png = await sheet(PATCH_T);
    const variants: readonly (readonly [Sharp, number])[] = [
      [sharp(png).linear(0.5, 120), PATCH_DPI],
      [sharp(png).blur(2), PATCH_DPI],
      [sharp(png).threshold(140), PATCH_DPI],
      [sharp(png).resize({ width: 874 * 2 }), 300],
      [sharp(png).resize({ width: 583 }), 100],
    ];
    for (const [index, [image, dpi]] of variants.entries()) {
      assert.is((await readPatches(image, dpi)).length, 1, `variant ${index}`);
    }
  },
);

patches('other patches, and bars that are too short, are not Patch T', async () => {
  assert.equal(await readPatches(sharp(await sheet(PATCH_3))), []);
  assert.equal(await readPatches(sharp(await sheet([2.5, 1, 2.5, 1, 1, 1, 1]))), []);
  assert.equal(await readPatches(sharp(await sheet(PATCH_T, [20]))), []);
});

patches('an image without contrast has none', async () => {
  const create = { width: 300, height: 300, channels: 3, background: 'white' } as const;
  assert.equal(await readPatches(sharp({ create })), []);
  assert.equal(readPatchCodes({ width: 0, height: 0, pixels: new Uint8Array() }, PATCH_DPI), []);
});

patches('only PGM files are read, unchanged', () => {
  const pixels = Uint8Array.from([1, 2, 3, 4, 5, 6]);
  const pgm = (header: string): Uint8Array => Buffer.concat([Buffer.from(header), pixels]);
  assert.equal(
    { ...parsePgm(pgm('P5\n3 2\n255\n')), pixels: [] },
    { width: 3, height: 2, pixels: [] },
  );
  assert.equal([...parsePgm(pgm('P5\n2 3\n255\n')).pixels], [...pixels]);
  for (const header of ['', 'P6\n3 2\n255\n', 'P5\n3 2\n65535\n', 'P5\n3 3\n255\n']) {
    assert.throws(() => parsePgm(pgm(header)), /not a PGM image/, header);
  }
});
