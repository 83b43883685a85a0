import type { FileHandle } from 'node:fs/promises';
import {
  firstValue,
  readTiffTags,
  TAG,
  TiffError,
  type TiffTags,
} from '../../helpers/tiff-tags.ts';

/** Where an uncompressed TIFF has its rows, and in which format. */
export interface PageLayout {
  readonly width: number;
  readonly height: number;
  /** Bits per pixel: 1 for black and white, 8 for gray, 24 for color. */
  readonly bits: 1 | 8 | 24;
  /** True if 0 means white, as in fax formats. */
  readonly zeroIsWhite: boolean;
  readonly rowBytes: number;
  readonly runs: readonly RowRun[];
}

export interface RowRun {
  readonly rows: number;
  /** In bytes, from the start of the file. */
  readonly offset: number;
}

/** Limits memory. A3 in color at 1200 dpi has rows of 60 KB. */
const MAX_ROW_BYTES = 192 * 1024;

/**
 * Limits the runs of rows in a page, since each takes one read. scanimage writes one run, other
 * programs a few hundred.
 */
const MAX_RUNS = 8192;

const UNCOMPRESSED = 1;
const WHITE_IS_ZERO = 0;
const CHUNKY = 1;

/** Throws TiffError unless the file is complete, uncompressed, and 1, 8 or 24 bit. */
export async function readPageLayout(file: FileHandle, size: number): Promise<PageLayout> {
  const tags = await readTiffTags(file);
  const width = firstValue(tags, TAG.width);
  const height = firstValue(tags, TAG.height);
  const bits = bitsPerPixel(tags);
  const rowBytes = Math.ceil((width * bits) / 8);
  if (width < 1 || height < 1) throw new TiffError('it has no image');
  if (rowBytes > MAX_ROW_BYTES) throw new TiffError(`it is ${width} pixels wide`);
  if (rowBytes * height > size) throw new TiffError('it is not whole');
  const zeroIsWhite = tags.values.get(TAG.photometric)?.[0] === WHITE_IS_ZERO;
  const runs = runsOf(tags, { height, rowBytes, size });
  return { width, height, bits, zeroIsWhite, rowBytes, runs };
}

function bitsPerPixel(tags: TiffTags): PageLayout['bits'] {
  const valueOf = (tag: number, otherwise: number): number =>
    tags.values.get(tag)?.[0] ?? otherwise;
  const isPlain =
    valueOf(TAG.compression, UNCOMPRESSED) === UNCOMPRESSED &&
    valueOf(TAG.planarConfiguration, CHUNKY) === CHUNKY;
  const samples = valueOf(TAG.samplesPerPixel, 1);
  const bits = valueOf(TAG.bitsPerSample, 1);
  if (isPlain && samples === 1 && (bits === 1 || bits === 8)) return bits;
  if (isPlain && samples === 3 && bits === 8) return 24;
  throw new TiffError('only uncompressed pages of 1, 8 or 24 bits a pixel can be shown');
}

interface Rows extends Pick<PageLayout, 'height' | 'rowBytes'> {
  readonly size: number;
}

function runsOf(tags: TiffTags, { height, rowBytes, size }: Rows): RowRun[] {
  const rowsPerStrip = Math.max(1, tags.values.get(TAG.rowsPerStrip)?.[0] ?? height);
  const runs: { rows: number; offset: number }[] = [];
  let left = height;
  for (const offset of tags.values.get(TAG.stripOffsets) ?? []) {
    if (left === 0) break;
    const rows = Math.min(left, rowsPerStrip);
    if (offset + rows * rowBytes > size) throw new TiffError('it is not whole');
    left -= rows;
    const last = runs.at(-1);
    if (last && last.offset + last.rows * rowBytes === offset) last.rows += rows;
    else runs.push({ rows, offset });
  }
  if (left > 0) throw new TiffError('it is not whole');
  if (runs.length > MAX_RUNS) throw new TiffError(`it is in ${runs.length} pieces`);
  return runs;
}
