import { open, type FileHandle } from 'node:fs/promises';
import { MM_PER_INCH } from './paper.ts';
import { firstValue, readTiffTags, TAG, TiffError, type TiffTags } from './tiff-tags.ts';

/** The first image of a TIFF file (TIFF 6.0, Adobe 1992). */
export interface TiffImage {
  readonly width: number;
  readonly height: number;
  readonly dpi: { readonly x: number; readonly y: number } | undefined;
  readonly bytes: number;
}

export type TiffReading =
  | { readonly complete: true; readonly image: TiffImage }
  /** `reason` says what is missing. */
  | { readonly complete: false; readonly reason: string };

const UNCOMPRESSED = 1;
const CENTIMETRE = 3;

/**
 * Checks that all strips lie within the file and, if uncompressed, add up to the image's size.
 * scanimage does not notice that a full disk truncated its file. Rejects if the file cannot be
 * read.
 */
export async function readTiff(filename: string): Promise<TiffReading> {
  const file = await open(filename);
  try {
    const { size } = await file.stat();
    return await readImage(file, size);
  } catch (error) {
    if (error instanceof TiffError) return { complete: false, reason: error.message };
    throw error;
  } finally {
    await file.close();
  }
}

async function readImage(file: FileHandle, size: number): Promise<TiffReading> {
  const tags = await readTiffTags(file);
  const width = firstValue(tags, TAG.width);
  const height = firstValue(tags, TAG.height);
  const offsets = tags.values.get(TAG.stripOffsets) ?? [];
  const counts = tags.values.get(TAG.stripByteCounts) ?? [];
  if (width < 1 || height < 1 || offsets.length === 0 || offsets.length !== counts.length) {
    throw new TiffError('it has no image');
  }
  const end = offsets.reduce(
    (end, offset, strip) => Math.max(end, offset + (counts[strip] ?? 0)),
    0,
  );
  if (end > size) throw new TiffError(`it has ${size} of ${end} bytes`);
  const stored = counts.reduce((sum, count) => sum + count, 0);
  const needed = uncompressedBytes(tags, width, height);
  if (stored < needed) throw new TiffError(`its image has ${stored} of ${needed} bytes`);
  return { complete: true, image: { width, height, dpi: dpiOf(tags), bytes: size } };
}

function uncompressedBytes(tags: TiffTags, width: number, height: number): number {
  if ((tags.values.get(TAG.compression)?.[0] ?? UNCOMPRESSED) !== UNCOMPRESSED) return 0;
  const samples = tags.values.get(TAG.samplesPerPixel)?.[0] ?? 1;
  const bits = tags.values.get(TAG.bitsPerSample)?.[0] ?? 1;
  return Math.ceil((width * samples * bits) / 8) * height;
}

function dpiOf(tags: TiffTags): TiffImage['dpi'] {
  const perInch = tags.values.get(TAG.resolutionUnit)?.[0] === CENTIMETRE ? MM_PER_INCH / 10 : 1;
  const x = firstValue(tags, TAG.xResolution) * perInch;
  const y = firstValue(tags, TAG.yResolution) * perInch;
  return x > 0 && y > 0 && Number.isFinite(x) && Number.isFinite(y) ? { x, y } : undefined;
}
