import { truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { readTiff, type TiffReading } from '../../helpers/tiff-header.ts';
import { tiffFile, type TiffShape } from '../support/fake-scanimage/tiff-file.ts';
import { assert, rejection, withFixture, within } from '../support/suite.ts';

const test = withFixture('TIFF files', async (directory) => ({
  directory,
  file: path.join(directory, 'page.tif'),
}));

async function read(file: string, content: Buffer): Promise<TiffReading> {
  await writeFile(file, content);
  return readTiff(file);
}

const SHAPES: [string, TiffShape][] = [
  ['one strip, big endian', {}],
  ['one strip, little endian', { byteOrder: 'II' }],
  ['many strips, big endian', { strips: 7 }],
  ['many strips, little endian', { strips: 60, byteOrder: 'II' }],
  ['colour', { samplesPerPixel: 3 }],
  ['one bit a pixel, width no whole number of bytes', { bitsPerSample: 1, width: 101 }],
  ['sixteen bits', { bitsPerSample: 16, byteOrder: 'II' }],
];
for (const [name, shape] of SHAPES) {
  test(`${name}: complete`, async ({ file }) => {
    const content = tiffFile({ dpi: 300, ...shape });
    const { width = 100 } = shape;
    assert.equal(await read(file, content), {
      complete: true,
      image: { width, height: 60, dpi: { x: 300, y: 300 }, bytes: content.length },
    });
  });

  test(`${name}: incomplete if truncated anywhere`, async ({ file }) => {
    const content = tiffFile(shape);
    await writeFile(file, content);
    const lengths = [
      content.length - 1,
      ...Array.from({ length: 40 }, (_, part) => Math.floor((content.length * (39 - part)) / 40)),
    ];
    for (const length of lengths) {
      await truncate(file, length);
      const reading = await readTiff(file);
      assert.not(reading.complete, `${length} of ${content.length} bytes`);
    }
  });
}

test('a resolution per centimetre is converted to dpi', async ({ file }) => {
  const reading = await read(file, tiffFile({ dpi: 100, resolutionUnit: 3 }));
  assert.ok(reading.complete);
  assert.equal((reading as { image: unknown }).image, {
    width: 100,
    height: 60,
    dpi: { x: 254, y: 254 },
    bytes: tiffFile({ dpi: 100 }).length,
  });
});

test('a file without a resolution has none', async ({ file }) => {
  const reading = await read(file, tiffFile({ dpi: 0 }));
  assert.ok(reading.complete && reading.image.dpi === undefined);
});

test('a compressed image may be smaller than its pixels', async ({ file }) => {
  const content = tiffFile({ height: 10 });
  const height = content.indexOf(Buffer.from([1, 1, 0, 4, 0, 0, 0, 1]));
  content.writeUInt32BE(100, height + 8);
  const uncompressed = await read(file, content);
  assert.match((uncompressed as { reason: string }).reason, '1000 of 10000 bytes');
  const compressed = tiffFile({ height: 10, compression: 5 });
  compressed.writeUInt32BE(100, height + 8);
  assert.ok((await read(file, compressed)).complete);
});

const NO_TIFF: [string, Buffer][] = [
  ['an empty file', Buffer.alloc(0)],
  ['a text', Buffer.from('P5 100 100 255\n no TIFF')],
  ['another number than 42', Buffer.from('MM\0\x2b\0\0\0\x08\0\0')],
  ['no tags', Buffer.from('MM\0*\0\0\0\x08\0\0\0\0\0\0')],
  ['a directory beyond the end', Buffer.from('MM\0*\x7f\0\0\0\0\0')],
];
for (const [name, content] of NO_TIFF) {
  test(`${name} is not complete`, async ({ file }) => {
    assert.not((await read(file, content)).complete);
  });
}

test('a tag with an absurd number of values is not read', async ({ file }) => {
  const content = tiffFile({ strips: 2 });
  const counts = content.indexOf(Buffer.from([1, 0x17, 0, 4]));
  content.writeUInt32BE(0x7fffffff, counts + 4);
  assert.not((await read(file, content)).complete);
});

test('a header that repeats one tag is read as fast as any other', async ({ file }) => {
  const count = 60_000;
  const directory = Buffer.alloc(2 + count * 12 + 4);
  directory.writeUInt16LE(count);
  for (let at = 2; at < directory.length - 4; at += 12) {
    directory.writeUInt16LE(273, at);
    directory.writeUInt16LE(4, at + 2);
    directory.writeUInt32LE(150_000, at + 4);
    directory.writeUInt32LE(8, at + 8);
  }
  const began = performance.now();
  const header = Buffer.from('II*\0\x08\0\0\0', 'latin1');
  await within(5000, read(file, Buffer.concat([header, directory])), 'the reading');
  assert.ok(performance.now() - began < 2000);
});

test('a missing file is a separate error', async ({ directory }) => {
  const error = await rejection(readTiff(path.join(directory, 'none.tif')));
  assert.is((error as NodeJS.ErrnoException).code, 'ENOENT');
});
