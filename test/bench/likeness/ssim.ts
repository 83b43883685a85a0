/** One value a pixel, 0 to 255, row by row. */
export interface Plane {
  readonly width: number;
  readonly height: number;
  readonly samples: Uint8Array;
}

/** An image of one channel (gray) or of three (red, green and blue), 0 to 255, row by row, the channels of a pixel together. */
export interface RasterImage {
  readonly width: number;
  readonly height: number;
  readonly channels: 1 | 3;
  readonly samples: Uint8Array;
}

/** What the eye sees of an image: how bright each pixel is, and, of a colour image, which colour it has. */
export interface SeenPlanes {
  readonly brightness: Plane;
  /** Cb and Cr; undefined for gray. */
  readonly colour: readonly [Plane, Plane] | undefined;
}

/** Brightness and colour as JPEG takes them apart (JFIF 1.02: the matrix of BT.601, full range). */
export function seenPlanes({ width, height, channels, samples }: RasterImage): SeenPlanes {
  if (channels === 1) return { brightness: { width, height, samples }, colour: undefined };
  const [y, cb, cr] = [plane(width, height), plane(width, height), plane(width, height)];
  for (let at = 0; at < width * height; at += 1) {
    const red = samples[3 * at] ?? 0;
    const green = samples[3 * at + 1] ?? 0;
    const blue = samples[3 * at + 2] ?? 0;
    // Rounded by the half, as the list takes the whole part; never out of range but for 255.5.
    y.samples[at] = 0.299 * red + 0.587 * green + 0.114 * blue + 0.5;
    cb.samples[at] = Math.min(255, 128.5 - 0.168736 * red - 0.331264 * green + 0.5 * blue);
    cr.samples[at] = Math.min(255, 128.5 + 0.5 * red - 0.418688 * green - 0.081312 * blue);
  }
  return { brightness: y, colour: [cb, cr] };
}

/** The image at half the resolution: the mean of each two by two pixels. A last odd row or column is left out. */
export function halved({ width, height, channels, samples }: RasterImage): RasterImage {
  const half = { width: width >> 1, height: height >> 1 };
  const means = new Uint8Array(half.width * half.height * channels);
  const row = width * channels;
  let to = 0;
  for (let y = 0; y < half.height; y += 1) {
    for (let x = 0; x < half.width; x += 1) {
      for (let channel = 0; channel < channels; channel += 1) {
        const from = 2 * y * row + 2 * x * channels + channel;
        const above = (samples[from] ?? 0) + (samples[from + channels] ?? 0);
        const below = (samples[from + row] ?? 0) + (samples[from + row + channels] ?? 0);
        means[to] = (above + below + 2) >> 2;
        to += 1;
      }
    }
  }
  return { ...half, channels, samples: means };
}

function plane(width: number, height: number): Plane {
  return { width, height, samples: new Uint8Array(width * height) };
}

/** Side of a window in pixels, and how far it moves: each window overlaps its neighbours by half. */
export const WINDOW = 8;
const STEP = WINDOW / 2;

const PIXELS = WINDOW * WINDOW;

/** Keep the fractions stable where there is nothing but paper; the values of the paper for 8 bits (K1 0.01, K2 0.03). */
const C1 = (0.01 * 255) ** 2;
const C2 = (0.03 * 255) ** 2;

/** How alike two images are, window by window; the window at column c and row r begins at the pixel 4c, 4r. */
export interface Similarity {
  readonly columns: number;
  readonly rows: number;
  /** The structural similarity of each window, −1 to 1; 1 is the same. */
  readonly values: Float64Array;
  /** The standard deviation of the reference within each window: about 2 for grainy paper, above 50 where letters stand. */
  readonly contrast: Float64Array;
}

/**
 * Structural similarity (Wang, Bovik, Sheikh, Simoncelli: Image quality assessment, 2004), in windows of 8 × 8 pixels that
 * weigh each pixel alike. Up to three pixels at the right and the lower edge are not looked at. Throws for two sizes.
 */
export function similarityOf(reference: Plane, other: Plane): Similarity {
  const { width, height } = reference;
  if (other.width !== width || other.height !== height) {
    throw new Error(`an image of ${other.width}×${other.height} is not one of ${width}×${height}`);
  }
  const sums = blockSums(reference, other);
  const columns = Math.max(0, sums.columns - 1);
  const rows = Math.max(0, sums.rows - 1);
  const values = new Float64Array(columns * rows);
  const contrast = new Float64Array(columns * rows);
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      const block = row * sums.columns + column;
      const mean = (list: Float64Array): number => windowSum(list, block, sums.columns) / PIXELS;
      const meanA = mean(sums.a);
      const meanB = mean(sums.b);
      const varianceA = Math.max(0, mean(sums.aa) - meanA * meanA);
      const varianceB = Math.max(0, mean(sums.bb) - meanB * meanB);
      const covariance = mean(sums.ab) - meanA * meanB;
      const brightness = (2 * meanA * meanB + C1) / (meanA * meanA + meanB * meanB + C1);
      const structure = (2 * covariance + C2) / (varianceA + varianceB + C2);
      const window = row * columns + column;
      values[window] = brightness * structure;
      contrast[window] = Math.sqrt(varianceA);
    }
  }
  return { columns, rows, values, contrast };
}

/** Mean similarity of the windows that are chosen, by the pixel they begin at and their contrast; undefined for none. */
export function meanSimilarity(
  { columns, values, contrast }: Similarity,
  chosen: (window: {
    readonly x: number;
    readonly y: number;
    readonly contrast: number;
  }) => boolean,
): number | undefined {
  let total = 0;
  let count = 0;
  for (const [index, value] of values.entries()) {
    const x = (index % columns) * STEP;
    const y = Math.floor(index / columns) * STEP;
    if (!chosen({ x, y, contrast: contrast[index] ?? 0 })) continue;
    total += value;
    count += 1;
  }
  return count === 0 ? undefined : total / count;
}

/** Sums over blocks of 4 × 4 pixels, of which four make a window, so that each pixel is looked at once. */
interface BlockSums {
  readonly columns: number;
  readonly rows: number;
  readonly a: Float64Array;
  readonly b: Float64Array;
  readonly aa: Float64Array;
  readonly bb: Float64Array;
  readonly ab: Float64Array;
}

function blockSums({ width, height, samples }: Plane, other: Plane): BlockSums {
  const columns = Math.floor(width / STEP);
  const rows = Math.floor(height / STEP);
  const list = (): Float64Array => new Float64Array(columns * rows);
  const sums = { columns, rows, a: list(), b: list(), aa: list(), bb: list(), ab: list() };
  for (let block = 0; block < columns * rows; block += 1) {
    const corner = Math.floor(block / columns) * STEP * width + (block % columns) * STEP;
    let [a, b, aa, bb, ab] = [0, 0, 0, 0, 0];
    for (let pixel = 0; pixel < STEP * STEP; pixel += 1) {
      const at = corner + Math.floor(pixel / STEP) * width + (pixel % STEP);
      const one = samples[at] ?? 0;
      const two = other.samples[at] ?? 0;
      a += one;
      b += two;
      aa += one * one;
      bb += two * two;
      ab += one * two;
    }
    sums.a[block] = a;
    sums.b[block] = b;
    sums.aa[block] = aa;
    sums.bb[block] = bb;
    sums.ab[block] = ab;
  }
  return sums;
}

function windowSum(list: Float64Array, block: number, columns: number): number {
  const upper = (list[block] ?? 0) + (list[block + 1] ?? 0);
  return upper + (list[block + columns] ?? 0) + (list[block + columns + 1] ?? 0);
}
