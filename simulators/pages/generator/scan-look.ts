import sharp, { type Sharp } from 'sharp';
import type { ScanLook } from './page-list.ts';

const DPI = 300;

const DEFAULTS = { ink: 34, paper: 247, turn: 0, quality: 55 } as const;

/** Standard deviations of the sensor's noise and of the paper's unevenness, in gray levels. */
const NOISE = 1.3;
const CLOUDS = 0.7;

const CLOUD_PIXELS = 160;

/**
 * Light escapes under the lid, so the left edge is darker, in gray levels. Fades over EDGE_PIXELS.
 */
const EDGE_SHADOW = 9;
const EDGE_PIXELS = 60;

interface Raw {
  readonly data: Buffer;
  readonly width: number;
  readonly height: number;
  readonly channels: 1 | 2 | 3 | 4;
}

/** Makes a print look scanned: rotated, slightly blurred, with noise, on off-white paper. */
export async function scanLook(print: Sharp, look: ScanLook, seed: number): Promise<Sharp> {
  if (look.lineart) return lineart(print, seed);
  const { ink, paper, turn } = { ...DEFAULTS, ...look };
  const { width, height } = await print.clone().metadata();
  const turned = turn === 0 ? print : print.rotate(turn, { background: 'white' });
  const quarter = Math.abs(turn) === 90;
  const upright = sharp(await turned.png({ compressionLevel: 0 }).toBuffer()).resize({
    width: quarter ? height : width,
    height: quarter ? width : height,
    fit: 'cover',
    withoutEnlargement: true,
  });
  const blurred = await upright
    .blur(0.55)
    .toColourspace(look.color ? 'srgb' : 'b-w')
    .raw()
    .toBuffer({ resolveWithObject: true });
  const raw = { data: blurred.data, ...blurred.info };
  soil(raw, { ink, paper, seed });
  return fromRaw(raw);
}

export async function encodePage(page: Sharp, quality: number = DEFAULTS.quality): Promise<Buffer> {
  return page.withDensity(DPI).jpeg({ quality, mozjpeg: true }).toBuffer();
}

/** An empty page, optionally with dust, and with the print of the other side showing through. */
export async function blankPage(
  front: Sharp | undefined,
  { specks, seed }: { readonly specks: number; readonly seed: number },
): Promise<Sharp> {
  const size = { width: 2480, height: 3508 };
  const white = sharp({ create: { ...size, channels: 3, background: 'white' } });
  const print = (front ? front.flop().blur(3) : white).toColourspace('b-w');
  const { data, info } = await print.raw().toBuffer({ resolveWithObject: true });
  const raw = { data, ...info };
  // Print on the other side shows through by at most three gray levels.
  soil(raw, { ink: DEFAULTS.paper - 3, paper: DEFAULTS.paper, seed });
  dust(raw, specks, seed);
  return fromRaw(raw);
}

async function lineart(print: Sharp, seed: number): Promise<Sharp> {
  const { data, info } = await print
    .blur(0.6)
    .toColourspace('b-w')
    .threshold(150)
    .raw()
    .toBuffer({ resolveWithObject: true });
  const raw = { data, ...info };
  dust(raw, 25, seed);
  return fromRaw(raw);
}

function fromRaw({ data, width, height, channels }: Raw): Sharp {
  return sharp(data, { raw: { width, height, channels } }).toColourspace(
    channels === 1 ? 'b-w' : 'srgb',
  );
}

function soil(
  { data, width, channels }: Raw,
  { ink, paper, seed }: { readonly ink: number; readonly paper: number; readonly seed: number },
): void {
  const random = randomNumbers(seed);
  const clouds = Array.from({ length: 8192 }, () => gauss(random) * CLOUDS);
  const across = Math.ceil(width / CLOUD_PIXELS);
  for (let at = 0; at < data.length; at += channels) {
    const pixel = at / channels;
    const x = pixel % width;
    const y = Math.floor(pixel / width);
    const cloud = cloudAt(clouds, across, x / CLOUD_PIXELS, y / CLOUD_PIXELS);
    const shadow = x < EDGE_PIXELS ? EDGE_SHADOW * (1 - x / EDGE_PIXELS) : 0;
    const noise = gauss(random) * NOISE + cloud - shadow;
    for (let channel = 0; channel < channels; channel += 1) {
      const printed = (data[at + channel] ?? 0) / 255;
      const level = ink + (paper - channel * 2 - ink) * printed + noise;
      data[at + channel] = Math.max(0, Math.min(255, Math.round(level)));
    }
  }
}

/** Interpolates between the four surrounding clouds. */
function cloudAt(clouds: readonly number[], across: number, x: number, y: number): number {
  const left = Math.floor(x);
  const top = Math.floor(y);
  const cloud = (cx: number, cy: number): number => clouds[(cy * across + cx) % clouds.length] ?? 0;
  const [dx, dy] = [x - left, y - top];
  const upper = cloud(left, top) * (1 - dx) + cloud(left + 1, top) * dx;
  const lower = cloud(left, top + 1) * (1 - dx) + cloud(left + 1, top + 1) * dx;
  return upper * (1 - dy) + lower * dy;
}

function dust({ data, width, height }: Raw, specks: number, seed: number): void {
  const random = randomNumbers(seed + 1);
  for (let speck = 0; speck < specks; speck += 1) {
    const size = 1 + Math.floor(random() * 3);
    const left = Math.floor(random() * (width - size));
    const top = Math.floor(random() * (height - size));
    for (let y = top; y < top + size; y += 1)
      data.fill(60, y * width + left, y * width + left + size);
  }
}

/** Mulberry32: every run generates the same pages. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Approximately a normal distribution with deviation 1. */
function gauss(random: () => number): number {
  return (random() + random() + random() - 1.5) * 2;
}
