import { writeFile } from 'node:fs/promises';
import type { PageImage } from '../../../../helpers/processor/page/plain-tiff.ts';
import {
  tiffDirectory,
  tiffHeader,
  type TiffField,
} from '../../../support/fake-scanimage/tiff-file.ts';

export interface TiffSample {
  readonly width: number;
  readonly height: number;
  /** Bits of each sample; as many as a pixel has samples. */
  readonly bits: readonly number[];
  /** PhotometricInterpretation: 0 white is zero, 1 black is zero, 2 RGB, 3 palette. */
  readonly photometric: number;
  readonly pixels: Buffer;
  /** Horizontal and vertical; left out of the file when undefined. */
  readonly dpi?: readonly [number, number] | undefined;
  /** Further tags with a single SHORT, such as 274 for the orientation. */
  readonly shorts?: Readonly<Record<number, number>>;
  readonly colorMap?: readonly number[];
  /** How often the image is in the file. */
  readonly images?: number;
}

/** Writes an uncompressed little-endian TIFF 6.0 file, tag by tag: no library writes the odd ones that scanners do. */
export async function writeTiff(file: string, sample: TiffSample): Promise<PageImage> {
  const { pixels, images = 1, width, height, dpi: [dpi] = [300], bits } = sample;
  const directory = (pixelsAt: number, next?: number): Buffer =>
    tiffDirectory(fieldsOf(sample, pixelsAt), 'II', pixelsAt + pixels.length, next);
  const header = tiffHeader('II', 8 + pixels.length);
  const parts = [header];
  let at = header.length;
  for (let image = 1; image <= images; image += 1) {
    const end = at + pixels.length + directory(at).length;
    parts.push(pixels, directory(at, image === images ? 0 : end + pixels.length));
    at = end;
  }
  await writeFile(file, Buffer.concat(parts));
  return { file, width, height, dpi, bilevel: bits[0] === 1 };
}

/** A gray sample: a dark bar across light paper. */
export function graySample(width: number, height: number): TiffSample {
  const pixels = Buffer.alloc(width * height, 240);
  pixels.fill(20, Math.floor(height / 2) * width, (Math.floor(height / 2) + 4) * width);
  return { width, height, bits: [8], photometric: 1, pixels, dpi: [300, 300] };
}

function fieldsOf(sample: TiffSample, pixelsAt: number): TiffField[] {
  const { dpi, colorMap, shorts = {} } = sample;
  const ratio = (value: number): readonly number[] => [Math.round(value * 100), 100];
  const fields: TiffField[] = [
    [256, 4, [sample.width]],
    [257, 4, [sample.height]],
    [258, 3, sample.bits],
    [259, 3, [1]],
    [262, 3, [sample.photometric]],
    [273, 4, [pixelsAt]],
    [277, 3, [sample.bits.length]],
    [278, 4, [sample.height]],
    [279, 4, [sample.pixels.length]],
  ];
  if (dpi) fields.push([282, 5, ratio(dpi[0])], [283, 5, ratio(dpi[1])], [296, 3, [2]]);
  if (colorMap) fields.push([320, 3, colorMap]);
  for (const [tag, value] of Object.entries(shorts)) fields.push([Number(tag), 3, [value]]);
  return fields.toSorted(([one], [other]) => one - other);
}
