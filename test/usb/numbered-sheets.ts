import path from 'node:path';
import sharp from 'sharp';

/** The paper model treats 72 dpi and less as unspecified. */
export const SHEET_DPI = 100;
const WIDTH = 827;
const HEIGHT = 1169;

/** Cells across and down. Each is a bit of the number, black for 1. */
const ACROSS = 3;
const DOWN = 4;
const BITS = ACROSS * DOWN;
/** The highest bit, set on every sheet, since white paper has no number. */
const MARK = 1 << (BITS - 1);
const MIDDLE = 128;

/** Writes a sheet with a number below 2048 that can be read from its scan. Returns the file. */
export async function writeSheet(directory: string, number: number): Promise<string> {
  const bytes = Buffer.alloc(WIDTH * HEIGHT, 255);
  for (let bit = 0; bit < BITS; bit += 1) {
    if (((number | MARK) & (1 << bit)) === 0) continue;
    const { left, top, width, height } = cell(bit, WIDTH, HEIGHT);
    for (let y = top; y < top + height; y += 1)
      bytes.fill(0, y * WIDTH + left, y * WIDTH + left + width);
  }
  const file = path.join(directory, `sheet-${number}.png`);
  const raw = { width: WIDTH, height: HEIGHT, channels: 1 } as const;
  await sharp(bytes, { raw }).withMetadata({ density: SHEET_DPI }).png().toFile(file);
  return file;
}

export async function readSheet(scanned: Buffer): Promise<number | undefined> {
  const image = sharp(scanned).toColourspace('b-w').removeAlpha().raw();
  const { data, info } = await image.toBuffer({ resolveWithObject: true });
  let number = 0;
  for (let bit = 0; bit < BITS; bit += 1) {
    const { left, top, width, height } = cell(bit, info.width, info.height);
    const x = left + Math.round(width / 2);
    const y = top + Math.round(height / 2);
    if ((data[y * info.width + x] ?? 255) < MIDDLE) number |= 1 << bit;
  }
  return number < MARK ? undefined : number - MARK;
}

function cell(
  bit: number,
  width: number,
  height: number,
): { left: number; top: number; width: number; height: number } {
  const [across, down] = [Math.floor(width / ACROSS), Math.floor(height / DOWN)];
  return {
    left: (bit % ACROSS) * across,
    top: Math.floor(bit / ACROSS) * down,
    width: across,
    height: down,
  };
}
