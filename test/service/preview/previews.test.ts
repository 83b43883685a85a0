import { open, writeFile } from 'node:fs/promises';
import path from 'node:path';
import sharp, { type TiffOptions } from 'sharp';
import { readPageLayout } from '../../../service/preview/page-layout.ts';
import { createPreviews } from '../../../service/preview/previews.ts';
import { tiffFile, type TiffShape } from '../../support/fake-scanimage/tiff-file.ts';
import { shippedPage } from '../../support/pages.ts';
import { assert, failure, rejection, withFixture } from '../../support/suite.ts';

const test = withFixture('previews of pages', async (directory) => {
  const file = path.join(directory, 'page-0001.tif');
  const previews = createPreviews();
  return {
    file,
    preview: async (content: Buffer): Promise<Buffer> => {
      await writeFile(file, content);
      const handle = await open(file);
      try {
        return await previews.of({ key: String(Math.random()), handle, bytes: content.length });
      } finally {
        await handle.close();
      }
    },
  };
});

interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly channels: number;
  readonly data: Buffer;
}

async function pixelsOf(png: Buffer): Promise<Pixels> {
  const { data, info } = await sharp(png).raw().toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, channels: info.channels, data };
}

async function difference(a: Pixels, b: Buffer): Promise<number> {
  assert.is(b.length, a.data.length);
  return (
    a.data.reduce((sum, value, index) => sum + Math.abs(value - (b[index] ?? 0)), 0) / b.length
  );
}

const INVOICE = shippedPage('invoice').file;

function scanned(colour: boolean, dpi: number, options: TiffOptions = {}): Promise<Buffer> {
  const width = Math.round(8.27 * dpi);
  const page = sharp(INVOICE).resize({ width });
  return (colour ? page.toColourspace('srgb') : page.toColourspace('b-w'))
    .tiff({ compression: 'none', ...options })
    .toBuffer();
}

for (const [what, colour, dpi, options] of [
  ['a gray page', false, 300, {}],
  ['a colour page', true, 300, {}],
  ['a colour page of 600 dpi', true, 600, {}],
  ['a black-and-white page', false, 300, { bitdepth: 1 }],
] as const) {
  test(`${what} looks as if shrunk by sharp`, async ({ preview }) => {
    const content = await scanned(colour, dpi, options);
    const ours = await pixelsOf(await preview(content));
    const { width, height, channels } = ours;
    assert.is(width, 320);
    assert.ok(height > 440 && height <= 480);
    const theirs = sharp(content)
      .resize({ width, height, fit: 'fill', kernel: 'linear' })
      .toColourspace(channels === 3 ? 'srgb' : 'b-w');
    const off = await difference(ours, await theirs.raw().toBuffer());
    assert.ok(off < 6, `${off} of 255 off`);
  });
}

test('a page in strips looks like the page in one piece', async ({ preview }) => {
  const whole = await preview(rampPage({ width: 400, height: 301 }));
  for (const strips of [2, 7, 301]) {
    assert.equal(await preview(rampPage({ width: 400, height: 301, strips })), whole);
    assert.equal(await preview(rampPage({ width: 400, height: 301, strips }, true)), whole);
  }
});

test('a page in fax format is not inverted', async ({ preview }) => {
  for (const bitsPerSample of [1, 8]) {
    const shape = { width: 90, height: 50, bitsPerSample, rowsPerStrip: 50 };
    const black = await pixelsOf(await preview(tiffFile({ ...shape, photometric: 1 })));
    const white = await pixelsOf(await preview(tiffFile({ ...shape, photometric: 0 })));
    assert.is(Math.max(...black.data), 0);
    assert.is(Math.min(...white.data), 255);
  }
});

const HOSTILE: Record<string, () => Buffer> = {
  'no TIFF at all': () => Buffer.from('GIF89a and so on'),
  'an empty file': () => Buffer.alloc(0),
  'a header that is cut off': () => tiffFile().subarray(0, 60),
  'pixels that are cut off': () => tiffFile().subarray(0, 1000),
  'a million rows': () => tiffFile({ width: 1, height: 65_535 }).subarray(0, 2000),
  'rows without end': () => patched({ tag: 256, value: 65_535 }),
  'no pixels': () => patched({ tag: 256, value: 0 }),
  'strips that lie outside the file': () => patched({ tag: 273, value: 4_000_000_000 }),
  'fewer strips than rows': () => patched({ tag: 278, value: 1 }, { strips: 3, rowsPerStrip: 20 }),
  '16 bits': () => tiffFile({ bitsPerSample: 16 }),
  '5 colours': () => tiffFile({ samplesPerPixel: 5 }),
  compression: () => tiffFile({ compression: 4 }),
};

for (const [what, content] of Object.entries(HOSTILE)) {
  test(`${what} is refused`, async ({ preview }) => {
    const { message, status } = await failure('no_preview', preview(content()));
    assert.is(status, 422);
    assert.match(message, /^There is no preview of this page: .*\. Download the page itself/);
  });
}

test('a page in ten thousand strips is refused before they are read', async ({ file }) => {
  const content = rampPage({ width: 2, height: 10_000, strips: 10_000 }, true);
  await writeFile(file, content);
  const handle = await open(file);
  const refused = await rejection(readPageLayout(handle, content.length));
  await handle.close();
  assert.match(String(refused), /it is in \d+ pieces/);
});

test('two simultaneous requests for a page read it once', async ({ file }) => {
  const content = await scanned(false, 100);
  await writeFile(file, content);
  const handle = await open(file);
  let reads = 0;
  const counting = {
    read: (...args: Parameters<typeof handle.read>) => {
      reads += 1;
      return handle.read(...args);
    },
  } as unknown as typeof handle;
  const previews = createPreviews(60_000);
  const page = (key: string): Promise<Buffer> =>
    previews.of({ key, handle: counting, bytes: content.length });
  const [first, second] = await Promise.all([page('a'), page('a')]);
  const once = reads;
  assert.is(first, second);
  assert.is(await page('a'), first);
  assert.is(reads, once);
  for (const key of ['b', 'c', 'd', 'e']) await page(key);
  await page('a');
  assert.is(reads, 6 * once, 'the one that was asked for longest ago is not kept');
  await handle.close();
});

function patched({ tag, value }: { tag: number; value: number }, shape: TiffShape = {}): Buffer {
  const file = tiffFile(shape);
  const at = fieldAt(file, tag);
  if (file.readUInt16BE(at - 6) === 3) file.writeUInt16BE(value, at);
  else file.writeUInt32BE(value, at);
  return file;
}

/** A page with a vertical gray ramp. If `scattered`, the strips are stored in reverse order. */
function rampPage(shape: TiffShape & { height: number; width: number }, scattered = false): Buffer {
  const { width, height, strips = 1 } = shape;
  const rowsPerStrip = Math.ceil(height / strips);
  const file = tiffFile({ ...shape, rowsPerStrip });
  const offsetsAt = fieldAt(file, 273);
  const inline = strips === 1;
  const table = inline ? offsetsAt : file.readUInt32BE(offsetsAt);
  const offsets = Array.from({ length: strips }, (_, strip) =>
    file.readUInt32BE(table + 4 * strip),
  );
  if (scattered) {
    // All strips except the last have the same length, so only these can be swapped.
    const swapped = [...offsets.slice(0, -1).toReversed(), ...offsets.slice(-1)];
    for (const [strip, offset] of swapped.entries()) file.writeUInt32BE(offset, table + 4 * strip);
    offsets.splice(0, strips, ...swapped);
  }
  for (let row = 0; row < height; row += 1) {
    const start = (offsets[Math.floor(row / rowsPerStrip)] ?? 0) + (row % rowsPerStrip) * width;
    file.fill(Math.floor((row * 256) / height), start, start + width);
  }
  return file;
}

function fieldAt(file: Buffer, tag: number): number {
  for (let at = 10; ; at += 12) if (file.readUInt16BE(at) === tag) return at + 8;
}
