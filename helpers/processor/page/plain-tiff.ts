import { open } from 'node:fs/promises';
import { firstValue, readTiffTags, TAG, TiffError, type TiffTags } from '../../tiff-tags.ts';

/** What the recognition of a page has to know of its image. */
export interface PageImage {
  readonly file: string;
  /** In pixels. */
  readonly width: number;
  readonly height: number;
  /** The same both ways. */
  readonly dpi: number;
  /** One bit a pixel, black and white. */
  readonly bilevel: boolean;
}

/** What the header of a page says, before anything else is read of it. */
export interface PageHeader {
  /** Pixels once the resolution is the same both ways. */
  readonly pixels: number;
  /** Gray or bilevel: one sample a pixel, of at most eight bits. */
  readonly gray: boolean;
  /** The image, if it is what Tesseract, Leptonica and PDF agree on as it is; undefined if page_image.py has to look. */
  readonly plain: PageImage | undefined;
}

/** A file that is no TIFF, or a kind of TIFF that only page_image.py knows: it gets memory for a usual page. */
const UNKNOWN: PageHeader = { pixels: 10_000_000, gray: false, plain: undefined };

/** Values that the tags of a plain image have; a tag that is left out has the first one. */
const PLAIN_VALUES: readonly (readonly [tag: number, values: readonly number[]])[] = [
  [TAG.bitsPerSample, [1, 8]],
  [TAG.orientation, [1]], // upright
  [TAG.samplesPerPixel, [1, 3]],
  [TAG.planarConfiguration, [1]], // colours together
  [TAG.resolutionUnit, [2]], // inch
];

/** PhotometricInterpretation by the number of samples: white is zero, black is zero; RGB. */
const PLAIN_COLOURS: Readonly<Record<number, readonly number[]>> = { 1: [0, 1], 3: [2] };

/** As in tiff.py. */
const MIN_DPI = 30;
const MAX_DPI = 4800;
const MAX_RATIO = 4;

/** Reads the header of a TIFF, which takes no time, whatever the image is like. */
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

/** Dots per inch, where they are the same both ways and can be believed. */
function evenResolution(tags: TiffTags): number | undefined {
  const [x, y] = [firstValue(tags, TAG.xResolution), firstValue(tags, TAG.yResolution)];
  const dpi = Math.round(x);
  return dpi === Math.round(y) && dpi >= MIN_DPI && dpi <= MAX_DPI ? dpi : undefined;
}

/** How many times more pixels there are once the coarse way is as fine as the other (fax: 204 x 98 dpi). */
function stretchOf(tags: TiffTags): number {
  const [x, y] = [firstValue(tags, TAG.xResolution), firstValue(tags, TAG.yResolution)];
  const ratio = Math.max(x, y) / Math.min(x, y);
  return ratio <= MAX_RATIO ? ratio : 1;
}
