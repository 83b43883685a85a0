import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { bilevelTiff } from './page-sets.ts';

const test = suite('line art pages of the benchmark');

test('another reader sees the same pixels, in one bit, at the resolution', async () => {
  const pixels = Uint8Array.from([0, 255, 255, 255, 255, 255, 255, 255, 255, 0, 255, 255]);
  const tiff = bilevelTiff({ width: 6, height: 2, dpi: 300, pixels });
  const image = sharp(tiff);
  const { density, bitsPerSample, width, height } = await image.metadata();
  assert.equal(
    { density, bitsPerSample, width, height },
    { density: 300, bitsPerSample: 1, width: 6, height: 2 },
  );
  const read = await image.toColourspace('b-w').raw().toBuffer();
  assert.equal([...read], [...pixels]);
});

test.run();
