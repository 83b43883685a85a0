import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { RasterImage } from './ssim.ts';
import { differingPixels, pageLikeness } from './document-likeness.ts';

const test = suite('how like the raw page a page is');

/** One inch wide at 64 dpi: letters, as stripes, in the upper half and a picture, as a slope, in the lower one. */
const DPI = 64;
const SIZE = 64;
const PICTURE = { left: 0, top: 12.7, width: 25.4, height: 12.7 };

function page(sample: (x: number, y: number) => number): RasterImage {
  const samples = Uint8Array.from({ length: SIZE * SIZE }, (_, at) =>
    sample(at % SIZE, Math.floor(at / SIZE)),
  );
  return { width: SIZE, height: SIZE, channels: 1, samples };
}

const printed = (x: number, y: number): number => {
  if (y < SIZE / 2) return x % 8 < 4 ? 20 : 240;
  return 2 * x + y;
};
const raw = page(printed);
const look = { dpi: DPI, pictures: [PICTURE] };

test('a page that is the same is 1 in everything, at both resolutions', () => {
  const [full, half] = pageLikeness(raw, raw, look);
  assert.equal([full?.dpi, half?.dpi], [64, 32]);
  for (const features of [full?.features, half?.features]) {
    assert.equal(Object.keys(features ?? {}), ['whole page', 'text edges', 'pictures']);
    assert.ok(Object.values(features ?? {}).every((value) => Math.abs(value - 1) < 1e-12));
  }
});

test('pale letters are seen at the edges of text, and not in pictures', () => {
  const pale = page((x, y) => (y < SIZE / 2 ? 120 + (printed(x, y) - 120) / 4 : printed(x, y)));
  const [full] = pageLikeness(raw, pale, look);
  assert.ok((full?.features['text edges'] ?? 1) < 0.6);
  assert.ok((full?.features.pictures ?? 0) > 0.999);
  assert.ok((full?.features['whole page'] ?? 1) < 0.9);
});

test('a picture in coarse steps is seen in pictures, and not at the edges of text', () => {
  const coarse = page((x, y) =>
    y < SIZE / 2 ? printed(x, y) : Math.round(printed(x, y) / 64) * 64,
  );
  const [full] = pageLikeness(raw, coarse, look);
  assert.ok((full?.features.pictures ?? 1) < 0.9);
  // One row of windows lies on both.
  assert.ok((full?.features['text edges'] ?? 0) > 0.95);
});

test('a colour that is lost is seen in the colours, and not in the brightness', () => {
  const grays = Array.from({ length: 16 * 16 }, (_, at) => 60 + (at % 16) * 8);
  const colour = (samples: number[][]): RasterImage => ({
    width: 16,
    height: 16,
    channels: 3,
    samples: Uint8Array.from(samples.flat()),
  });
  // More red and less green by as much as keeps the brightness.
  const tinted = colour(grays.map((gray) => [gray + 39, gray - 20, gray]));
  const plain = colour(grays.map((gray) => [gray, gray, gray]));
  const [full] = pageLikeness(tinted, plain, { dpi: DPI, pictures: [] });
  assert.ok((full?.features.colours ?? 1) < 0.995);
  assert.ok((full?.features['whole page'] ?? 0) > 0.999);
});

test('pixels that differ are counted one by one', () => {
  const other = page((x, y) => (y === 5 && x < 3 ? 99 : printed(x, y)));
  assert.is(differingPixels(raw, raw), 0);
  assert.is(differingPixels(raw, other), 3);
  assert.throws(() => differingPixels(raw, { ...raw, width: 32 }), /not one of 64×64/);
});

test.run();
