import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import sharp, { type Sharp } from 'sharp';
import {
  createCodeReader,
  type CodeImage,
} from '../../../../helpers/processor/codes/code-reader.ts';
import { assert, rejection, withFixture } from '../../../support/suite.ts';
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

/** Turned as paper lies, and as feeders pull it in. */
const ANGLES = [0, 1.5, -3, 90, 180, 273];

/** The narrowest of each that must be read however it is turned, at 300 dpi. */
const CODES: readonly PrintedCode[] = [
  { format: 'Code39', text: 'PATCHT', width_mm: 80 },
  { format: 'Code39', text: 'ASN00123', width_mm: 40 },
  { format: 'Code128', text: 'ASN00123', width_mm: 25 },
  { format: 'QRCode', text: 'ASN00123', width_mm: 8 },
  { format: 'QRCode', text: 'TAG:invoices,tax München 🖨', width_mm: 20 },
];

for (const code of CODES) {
  test(`${code.format} ${code.text} is read at ${code.width_mm} mm, however it is turned`, async (given) => {
    for (const angle of ANGLES) {
      const image = await given.pgm(await pageWith({ ...code, angle }));
      const texts = (await given.reader.read(image, LIMITS)).map(({ text }) => text);
      assert.equal(texts, [code.text], `${angle} degrees`);
    }
  });
}

test('says what kind of code it is, and where it is in mm', async ({ reader, pgm }) => {
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
  // Within the white around it.
  const { x_mm = 0, y_mm = 0, width_mm = 0, height_mm = 0 } = code ?? {};
  assert.ok(x_mm >= 10 && y_mm >= 70 && x_mm + width_mm <= 33 && y_mm + height_mm <= 93);
  assert.ok(Math.abs(width_mm - 17) < 4 && Math.abs(height_mm - 17) < 4, String(width_mm));
});

test('codes of other kinds are none', async ({ reader, pgm }) => {
  for (const code of [
    { format: 'DataMatrix', text: 'ASN00123', width_mm: 20 },
    { format: 'EAN13', text: '4006381333931', width_mm: 40 },
  ] as const) {
    assert.equal(await reader.read(await pgm(await pageWith(code)), LIMITS), []);
  }
});

/** What becomes of a page between paper and file, so that 200 pages come of the shipped ones. */
const VARIANTS: readonly ((page: Sharp) => Sharp)[] = [
  (page) => page,
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

test('there are no codes on 200 pages without any', async ({ reader, pgm }) => {
  let pages = 0;
  for (const { file } of shippedPages()) {
    const small = await sharp(file).grayscale().resize({ width: 1240 }).png().toBuffer();
    for (const variant of VARIANTS) {
      pages += 1;
      const image = await pgm(variant(sharp(small)), 150);
      assert.equal(await reader.read(image, LIMITS), [], `${file} ${String(variant)}`);
    }
  }
  assert.ok(pages >= 200, String(pages));
});

test('an image that breaks the reader is only an error', async ({ reader, directory, pgm }) => {
  const garbage = path.join(directory, 'garbage.pgm');
  // What is no PGM at all: patch-code.test.ts.
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

test('a page that is given up ends the reading with its reason', async ({ script }) => {
  const reader = createCodeReader(await script('setInterval(() => {}, 1000)'));
  const stop = new AbortController();
  const reading = rejection(
    reader.read({ file: 'x', dpi: 300 }, { signal: stop.signal, timeoutMs: 60_000 }),
  );
  stop.abort(new Error('the deadline'));
  assert.match(String(await reading), /the deadline/);
  await reader.close();
});
