import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import sharp, { type OutputInfo, type Sharp } from 'sharp';
import { prepareZXingModule, writeBarcode } from 'zxing-wasm/writer';
import type { CodeImage } from '../../../../helpers/processor/codes/code-reader.ts';

const MM_PER_INCH = 25.4;

export interface PrintedCode {
  readonly format: 'Code39' | 'Code128' | 'QRCode' | 'DataMatrix' | 'EAN13';
  readonly text: string;
  readonly width_mm: number;
  /** Clockwise, in degrees. */
  readonly angle?: number;
}

let loaded: Promise<unknown> | undefined;

function load(): Promise<unknown> {
  loaded ??= (async () => {
    const file = fileURLToPath(import.meta.resolve('zxing-wasm/writer/zxing_writer.wasm'));
    const wasmBinary = new Uint8Array(await readFile(file)).buffer;
    return prepareZXingModule({ overrides: { wasmBinary }, fireImmediately: true });
  })();
  return loaded;
}

/** A printed and scanned code on white paper, as PNG. */
export async function printedCode(
  { format, text, width_mm, angle = 0 }: PrintedCode,
  dpi: number,
): Promise<Buffer> {
  await load();
  const { image, error } = await writeBarcode(text, { format, scale: 8 });
  if (!image) throw new Error(error);
  // Drawn at four times the size, so that shrinking softens its edges as a scan does.
  const width = Math.round((width_mm / MM_PER_INCH) * dpi * 4);
  const fine = await rawOf(
    sharp(Buffer.from(await image.arrayBuffer()))
      .grayscale()
      .resize({ width, kernel: 'nearest' })
      .extend({ top: 60, bottom: 60, left: 60, right: 60, background: 'white' }),
  );
  const turned = await rawOf(sharp(...fine).rotate(angle, { background: 'white' }));
  return sharp(...turned)
    .resize({ width: Math.round(turned[1].raw.width / 4) })
    .blur(0.7)
    .png()
    .toBuffer();
}

/** Works on raw pixels, since sharp rotates, crops and resizes in its own order. */
async function rawOf(image: Sharp): Promise<[Buffer, { raw: OutputInfo }]> {
  const { data, info } = await image.raw().toBuffer({ resolveWithObject: true });
  return [data, { raw: info }];
}

/** An image of this size with images placed on it, all in mm. */
export async function composed(
  size: { readonly width_mm: number; readonly height_mm: number },
  things: readonly { readonly png: Buffer; readonly x_mm: number; readonly y_mm: number }[],
  dpi: number,
): Promise<Sharp> {
  const pixels = (mm: number): number => Math.round((mm / MM_PER_INCH) * dpi);
  const [width, height] = [pixels(size.width_mm), pixels(size.height_mm)];
  const layers = things.map(({ png, x_mm, y_mm }) => ({
    input: png,
    left: pixels(x_mm),
    top: pixels(y_mm),
  }));
  const page = sharp({ create: { width, height, channels: 3, background: '#f4f4f4' } });
  return sharp(...(await rawOf(page.composite(layers)))).toColourspace('b-w');
}

export async function writePgm(image: Sharp, file: string, dpi: number): Promise<CodeImage> {
  const { data, info } = await image.grayscale().raw().toBuffer({ resolveWithObject: true });
  await writeFile(file, `P5\n${info.width} ${info.height}\n255\n`, 'latin1');
  await writeFile(file, data, { flag: 'a' });
  return { file, dpi };
}
