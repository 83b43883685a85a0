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
