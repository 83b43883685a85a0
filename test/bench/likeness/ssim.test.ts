import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Plane, halved, meanSimilarity, seenPlanes, similarityOf } from './ssim.ts';

const test = suite('images that are compared');

test('a gray image is its own brightness, and has no colour', () => {
  const samples = Uint8Array.of(0, 100, 200, 255);
  const { brightness, colour } = seenPlanes({ width: 2, height: 2, channels: 1, samples });
  assert.equal([...brightness.samples], [0, 100, 200, 255]);
  assert.is(colour, undefined);
});

test('a colour image is taken apart as JPEG does it', () => {
  // White, black, red and blue; the values of the JFIF specification.
  const samples = Uint8Array.of(255, 255, 255, 0, 0, 0, 255, 0, 0, 0, 0, 255);
  const { brightness, colour } = seenPlanes({ width: 4, height: 1, channels: 3, samples });
  assert.equal([...brightness.samples], [255, 0, 76, 29]);
  assert.equal([...(colour?.[0].samples ?? [])], [128, 128, 85, 255]);
  assert.equal([...(colour?.[1].samples ?? [])], [128, 128, 255, 107]);
});

test('half the resolution is the mean of four pixels, without a last odd column', () => {
  const samples = Uint8Array.of(10, 20, 99, 30, 41, 99);
  const half = halved({ width: 3, height: 2, channels: 1, samples });
  assert.equal(half, { width: 1, height: 1, channels: 1, samples: Uint8Array.of(25) });
});

test('the channels of a colour image are not mixed when it is halved', () => {
  const pixel = [10, 20, 30];
  const samples = Uint8Array.from([...pixel, ...pixel, ...pixel, ...pixel]);
  const half = halved({ width: 2, height: 2, channels: 3, samples });
  assert.equal([...half.samples], pixel);
});

const every = (): boolean => true;

/** A plane whose samples are a function of their place. */
function plane(width: number, height: number, sample: (x: number, y: number) => number): Plane {
  const samples = Uint8Array.from({ length: width * height }, (_, at) =>
    sample(at % width, Math.floor(at / width)),
  );
  return { width, height, samples };
}

const stripes = plane(16, 16, (x) => (x % 4 < 2 ? 0 : 200));

test('an image is the same as itself, in every window', () => {
  const { columns, rows, values } = similarityOf(stripes, stripes);
  assert.equal([columns, rows], [3, 3]);
  assert.ok(values.every((value) => Math.abs(value - 1) < 1e-12));
});

test('it is what the formula gives for two flat images', () => {
  const [one, other] = [plane(8, 8, () => 100), plane(8, 8, () => 110)];
  const c1 = 6.5025;
  const expected = (2 * 100 * 110 + c1) / (100 ** 2 + 110 ** 2 + c1);
  const [value = 0] = similarityOf(one, other).values;
  assert.ok(Math.abs(value - expected) < 1e-12);
});

test('it is what the formula gives for an image and its negative', () => {
  const one = plane(8, 8, (x) => (x < 4 ? 28 : 228));
  const negative = plane(8, 8, (x) => (x < 4 ? 228 : 28));
  // Both have the mean 128 and the variance 100², and the covariance is −100².
  const c2 = 58.5225;
  const expected = (-2 * 10_000 + c2) / (2 * 10_000 + c2);
  const [value = 0] = similarityOf(one, negative).values;
  assert.ok(Math.abs(value - expected) < 1e-12);
});

test('only the windows that a difference lies in are less alike', () => {
  const spot = plane(16, 16, (x, y) => (x === 15 && y === 15 ? 255 : (stripes.samples[x] ?? 0)));
  const { values } = similarityOf(stripes, spot);
  const less = [...values].flatMap((value, window) => (value < 0.999 ? [window] : []));
  assert.equal(less, [8]);
});

test('more of a blur is less alike', () => {
  const blurred = (share: number): Plane =>
    plane(16, 16, (x) => (stripes.samples[x] ?? 0) * (1 - share) + 100 * share);
  const of = (share: number): number =>
    meanSimilarity(similarityOf(stripes, blurred(share)), every) ?? 0;
  assert.ok(of(0.1) > of(0.2) && of(0.2) > of(0.5));
});

test('the contrast is that of the reference: none on plain paper, much where there are edges', () => {
  const half = plane(16, 8, (x) => (x < 8 ? 240 : x % 2 === 0 ? 40 : 240));
  const { contrast } = similarityOf(
    half,
    plane(16, 8, (x) => x),
  );
  assert.equal([contrast[0], contrast[2]], [0, 100]);
});

test('a mean is that of the chosen windows, told by their place and contrast', () => {
  const spot = plane(16, 16, (x, y) => (x === 15 && y === 15 ? 255 : (stripes.samples[x] ?? 0)));
  const similarity = similarityOf(stripes, spot);
  assert.is(
    meanSimilarity(similarity, ({ x, y }) => x === 8 && y === 8),
    similarity.values[8],
  );
  assert.is(
    meanSimilarity(similarity, ({ contrast }) => contrast > 1000),
    undefined,
  );
});

test('images of two sizes cannot be compared', () => {
  assert.throws(
    () =>
      similarityOf(
        stripes,
        plane(16, 15, () => 0),
      ),
    /16×15/,
  );
});

test.run();
