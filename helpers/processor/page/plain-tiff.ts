import { open } from 'node:fs/promises';
import { firstValue, readTiffTags, TAG, TiffError, type TiffTags } from '../../tiff-tags.ts';

export interface PageImage {
  readonly file: string;
  readonly width: number;
  readonly height: number;
  readonly dpi: number;
  readonly bilevel: boolean;
}

export interface PageHeader {
  /** Number of pixels once both resolutions are equal. */
  readonly pixels: number;
  /** One sample per pixel, at most eight bits. */
  readonly gray: boolean;
  /** Undefined if page_image.py must convert the file. */
  readonly plain: PageImage | undefined;
}

/** An average page, to reserve memory for a file whose header only page_image.py can read. */
const UNKNOWN: PageHeader = { pixels: 10_000_000, gray: false, plain: undefined };

/** Tag values of a plain image. A missing tag counts as the first value. */
const PLAIN_VALUES: readonly (readonly [tag: number, values: readonly number[]])[] = [
  [TAG.bitsPerSample, [1, 8]],
  [TAG.orientation, [1]], // upright
  [TAG.samplesPerPixel, [1, 3]],
  [TAG.planarConfiguration, [1]], // interleaved colours
  [TAG.resolutionUnit, [2]], // inch
];

/** PhotometricInterpretation by samples per pixel: white or black is zero; RGB. */
const PLAIN_COLOURS: Readonly<Record<number, readonly number[]>> = { 1: [0, 1], 3: [2] };

/** The same as in tiff.py. */
const MIN_DPI = 30;
const MAX_DPI = 4800;
const MAX_RATIO = 4;

export async function readPageHeader(filename: string): Promise<PageHeader> {
  const file = await open(filename);
  try {
    return describe(filename, await readTiffTags(file));
  } catch (error) {
    if (error instanceof TiffError) return UNKNOWN;
    throw error;
  } finally {
    await file.close();
  }
}

function describe(file: string, tags: TiffTags): PageHeader {
  const [width, height] = [firstValue(tags, TAG.width), firstValue(tags, TAG.height)];
  const [samples, bits] = [valueOf(tags, TAG.samplesPerPixel), valueOf(tags, TAG.bitsPerSample)];
  const dpi = evenResolution(tags);
  const isPlain =
    tags.isOnly &&
    PLAIN_VALUES.every(([tag, allowed]) =>
      (tags.values.get(tag) ?? []).every((value) => allowed.includes(value)),
    ) &&
    PLAIN_COLOURS[samples]?.includes(firstValue(tags, TAG.photometric)) === true &&
    (samples === 1 || bits === 8) &&
    dpi !== undefined &&
    width * height > 0;
  return {
    pixels: width * height * stretchOf(tags),
    gray: samples === 1 && bits <= 8 && isPlain,
    plain: isPlain ? { file, width, height, dpi, bilevel: bits === 1 } : undefined,
  };
}

function valueOf(tags: TiffTags, tag: number): number {
  const usual = PLAIN_VALUES.find(([known]) => known === tag)?.[1][0] ?? 0;
  return tags.values.get(tag)?.[0] ?? usual;
}

/** Undefined if the resolutions are unequal or implausible. */
function evenResolution(tags: TiffTags): number | undefined {
  const [x, y] = [firstValue(tags, TAG.xResolution), firstValue(tags, TAG.yResolution)];
  const dpi = Math.round(x);
  return dpi === Math.round(y) && dpi >= MIN_DPI && dpi <= MAX_DPI ? dpi : undefined;
}

/**
 * Factor by which the page gains pixels when page_image.py makes its two resolutions equal (fax:
 * 204 x 98 dpi).
 */
function stretchOf(tags: TiffTags): number {
  const [x, y] = [firstValue(tags, TAG.xResolution), firstValue(tags, TAG.yResolution)];
  const ratio = Math.max(x, y) / Math.min(x, y);
  return ratio <= MAX_RATIO ? ratio : 1;
}
