import { writeFile } from 'node:fs/promises';
import type { PageImage } from '../../../../helpers/processor/page/plain-tiff.ts';
import { tiffFile, type TiffShape } from '../../../support/fake-scanimage/tiff-file.ts';

export interface TiffSample extends TiffShape {
  readonly width: number;
  readonly height: number;
}

/** Writes TIFFs as scanners do, including ones that no library writes. */
export async function writeTiff(file: string, sample: TiffSample): Promise<PageImage> {
  const { width, height, dpi = 100, bitsPerSample } = sample;
  await writeFile(file, tiffFile({ byteOrder: 'II', rowsPerStrip: height, ...sample }));
  return { file, width, height, dpi: [dpi].flat()[0] ?? 0, bilevel: bitsPerSample === 1 };
}

export function graySample(width: number, height: number): TiffSample & { pixels: Buffer } {
  const pixels = Buffer.alloc(width * height, 240);
  pixels.fill(20, Math.floor(height / 2) * width, (Math.floor(height / 2) + 4) * width);
  return { width, height, photometric: 1, pixels, dpi: 300 };
}
