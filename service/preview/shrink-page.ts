import type { FileHandle } from 'node:fs/promises';
import { TiffError } from '../../helpers/tiff-tags.ts';
import type { PageLayout } from './page-layout.ts';

/** An image in gray or RGB, one byte per channel. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly channels: 1 | 3;
  readonly pixels: Uint8Array;
}

export interface PictureBox {
  readonly width: number;
  readonly height: number;
}

/**
 * `small` is for lists, with twice the pixels for phones; `large`, A4 at 150 dpi, is for reading.
 */
export const PREVIEW_SIZES = {
  small: { width: 320, height: 480 },
  large: { width: 1240, height: 1754 },
} as const satisfies Record<string, PictureBox>;

/** Other requests get a turn after this many bytes of the page: 2 ms in color. */
const BLOCK_BYTES = 256 * 1024;

/** Averaging this many source rows is enough for a good preview. Others are skipped. */
const ENOUGH_ROWS = 3;

export async function shrinkPage(
  file: FileHandle,
  layout: PageLayout,
  box: PictureBox = PREVIEW_SIZES.small,
): Promise<Picture> {
  const { rowBytes, runs, height } = layout;
  const shrinking = createShrinking(layout, box);
  const rowsAtOnce = Math.max(1, Math.floor(BLOCK_BYTES / rowBytes));
  const block = Buffer.allocUnsafe(Math.min(rowsAtOnce, height) * rowBytes);
  let row = 0;
  for (const run of runs) {
    for (let done = 0; done < run.rows; done += rowsAtOnce) {
      const length = Math.min(rowsAtOnce, run.rows - done) * rowBytes;
      const { bytesRead } = await file.read(block, 0, length, run.offset + done * rowBytes);
      if (bytesRead < length) throw new TiffError('it is not whole');
      for (let at = 0; at < length; at += rowBytes) shrinking.add(row++, block, at);
    }
  }
  return shrinking.picture();
}

interface Shrinking {
  /** Adds the next row of the page, which is at offset `at` in the block. */
  readonly add: (row: number, block: Uint8Array, at: number) => void;
  readonly picture: () => Picture;
}

/** Averages all pixels that become one pixel of the preview. */
function createShrinking(
  { width, height, bits, zeroIsWhite }: PageLayout,
  box: PictureBox,
): Shrinking {
  const factor = Math.max(1, width / box.width, height / box.height);
  const channels = bits === 24 ? 3 : 1;
  const size = {
    width: Math.max(1, Math.floor(width / factor)),
    height: Math.max(1, Math.floor(height / factor)),
  };
  const columns = Array.from({ length: size.width + 1 }, (_, column) =>
    Math.floor((column * width) / size.width),
  );
  const addRow = bits === 1 ? addBits : addBytes;
  const everyRow = Math.max(1, Math.floor(factor / ENOUGH_ROWS));
  const shades = shadesOf(bits === 1 ? 1 : 255, zeroIsWhite);
  const pixels = new Uint8Array(size.width * size.height * channels);
  const sums = new Float64Array(size.width * channels);
  let rows = 0;
  let target = 0;

  function finishRow(): void {
    const start = target * sums.length;
    // A loop, because an iterator would allocate an object per pixel.
    for (let index = 0; index < sums.length; index += 1) {
      const column = Math.floor(index / channels);
      const count = rows * ((columns[column + 1] ?? 0) - (columns[column] ?? 0));
      pixels[start + index] = shades((sums[index] ?? 0) / count);
    }
    sums.fill(0);
    rows = 0;
  }

  return {
    add: (row, block, at) => {
      const next = Math.floor((row * size.height) / height);
      if (next !== target) {
        finishRow();
        target = next;
      }
      if (rows > 0 && row % everyRow !== 0) return;
      addRow({ sums, columns, channels }, block, at);
      rows += 1;
    },
    picture: () => {
      finishRow();
      return { ...size, channels, pixels };
    },
  };
}

interface RowSums {
  readonly sums: Float64Array;
  /** The first source column of each column of the preview, and the end of the last. */
  readonly columns: readonly number[];
  readonly channels: number;
}

function addBytes({ sums, columns, channels }: RowSums, block: Uint8Array, start: number): void {
  for (let column = 0; column + 1 < columns.length; column += 1) {
    const end = start + (columns[column + 1] ?? 0) * channels;
    for (let channel = 0; channel < channels; channel += 1) {
      let sum = 0;
      const first = start + (columns[column] ?? 0) * channels + channel;
      for (let at = first; at < end; at += channels) sum += block[at] ?? 0;
      const index = column * channels + channel;
      sums[index] = (sums[index] ?? 0) + sum;
    }
  }
}

function addBits({ sums, columns }: RowSums, block: Uint8Array, start: number): void {
  for (let column = 0; column + 1 < columns.length; column += 1) {
    const end = columns[column + 1] ?? 0;
    let sum = 0;
    for (let x = columns[column] ?? 0; x < end; x += 1) {
      sum += ((block[start + (x >> 3)] ?? 0) >> (7 - (x & 7))) & 1;
    }
    sums[column] = (sums[column] ?? 0) + sum;
  }
}

/** Halves the size of a preview, which looks the same as with 256 shades. */
const SHADES = 31;

function shadesOf(white: number, zeroIsWhite: boolean): (mean: number) => number {
  return (mean) => {
    const light = zeroIsWhite ? 1 - mean / white : mean / white;
    return Math.round((Math.round(light * SHADES) * 255) / SHADES);
  };
}
