import sharp, { type Sharp } from 'sharp';
import { parsePgm } from '../../../../helpers/processor/codes/pgm.ts';
import { readPatchCodes } from '../../../../helpers/processor/codes/patch-code.ts';
import type { PageCode } from '../../../../helpers/page-facts.ts';
import { shippedPages } from '../../../support/pages.ts';
import { drawing } from '../support/page-samples.ts';
import { assert, suite } from '../../../support/suite.ts';

const test = suite('reading Patch T');

const DPI = 150;
const MM_PER_INCH = 25.4;
/** Widths of bars and spaces from the edge inwards, in narrow ones of 0.08 inch. */
const PATCH_T = [1, 1, 2.5, 1, 1, 1, 2.5];
const PATCH_3 = PATCH_T.toReversed();

/** An A5 page with four bars beside its upper edge, all in pieces of such lengths. */
async function sheet(
  widths: readonly number[],
  lengthsMm: readonly number[] = [60],
): Promise<Buffer> {
  const narrow = 0.08 * DPI;
  let y = 40;
  const bars = widths.map((width, index) => {
    const bar = lengthsMm.map((mm, piece) => {
      const length = (mm / MM_PER_INCH) * DPI;
      return `<rect x="${150 + piece * 600}" y="${y}" width="${length}" height="${width * narrow}"/>`;
    });
    y += width * narrow;
    return index % 2 === 0 ? bar.join('') : '';
  });
  return drawing([874, 1240], '#eee', `<g fill="#333">${bars.join('')}</g>`)
    .png()
    .toBuffer();
}

async function read(image: Sharp, dpi = DPI): Promise<PageCode[]> {
  const gray = image.flatten({ background: 'white' }).grayscale().raw();
  const { data: pixels, info } = await gray.toBuffer({ resolveWithObject: true });
  return readPatchCodes({ width: info.width, height: info.height, pixels }, dpi);
}

test('bars are read beside every edge, as paper lies and as feeders pull it in', async () => {
  const png = await sheet(PATCH_T);
  for (const angle of [0, 90, 180, 270, 2, -2, 182]) {
    const turned = sharp(png).rotate(angle, { background: '#eee' });
    const found = (await read(turned)).map(({ type, text }) => `${type} ${text}`);
    assert.equal(found, ['patch_t PATCHT'], `${angle} degrees`);
  }
  const [code] = await read(sharp(png));
  assert.ok(code);
  // Along the bars it is exact to a millimetre.
  assert.equal([code?.y_mm, code?.height_mm], [6.8, 20.3]);
  assert.ok(Math.abs((code?.x_mm ?? 0) - 25.4) <= 1 && Math.abs((code?.width_mm ?? 0) - 60) <= 2);
  // What is aslant reaches further across.
  const [aslant] = await read(sharp(png).rotate(2, { background: '#eee' }));
  assert.ok(Math.abs((aslant?.height_mm ?? 0) - 22.4) <= 0.6, String(aslant?.height_mm));
});

test('bars are read although something like them is on the same lines', async () => {
  const found = await read(sharp(await sheet(PATCH_T, [60, 5])));
  assert.equal(
    found.map(({ width_mm }) => Math.round(width_mm / 5) * 5),
    [60],
  );
});

test('bars are read when they are faint, blurred, black and white, or at another resolution', async () => {
  const png = await sheet(PATCH_T);
  const variants: readonly (readonly [Sharp, number])[] = [
    [sharp(png).linear(0.5, 120), DPI],
    [sharp(png).blur(2), DPI],
    [sharp(png).threshold(140), DPI],
    [sharp(png).resize({ width: 874 * 2 }), 300],
    [sharp(png).resize({ width: 583 }), 100],
  ];
  for (const [index, [image, dpi]] of variants.entries()) {
    assert.is((await read(image, dpi)).length, 1, `variant ${index}`);
  }
});

test('other patches, and bars that are too short, are not Patch T', async () => {
  assert.equal(await read(sharp(await sheet(PATCH_3))), []);
  assert.equal(await read(sharp(await sheet([2.5, 1, 2.5, 1, 1, 1, 1]))), []);
  assert.equal(await read(sharp(await sheet(PATCH_T, [20]))), []);
});

test('pages of text, tables and pictures have none', async () => {
  for (const { file } of shippedPages()) {
    const small = await sharp(file).grayscale().resize({ width: 1240 }).png().toBuffer();
    for (const angle of [0, 90]) assert.equal(await read(sharp(small).rotate(angle)), [], file);
  }
});

test('an image without any contrast has none', async () => {
  const create = { width: 300, height: 300, channels: 3, background: 'white' } as const;
  assert.equal(await read(sharp({ create })), []);
  assert.equal(readPatchCodes({ width: 0, height: 0, pixels: new Uint8Array() }, DPI), []);
});

test('an image file is read as it is, and nothing else is one', () => {
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
