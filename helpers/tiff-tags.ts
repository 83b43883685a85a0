import type { FileHandle } from 'node:fs/promises';

export const TAG = {
  width: 256,
  height: 257,
  bitsPerSample: 258,
  compression: 259,
  photometric: 262,
  stripOffsets: 273,
  orientation: 274,
  samplesPerPixel: 277,
  rowsPerStrip: 278,
  stripByteCounts: 279,
  xResolution: 282,
  yResolution: 283,
  planarConfiguration: 284,
  resolutionUnit: 296,
} as const;

/** Other tags are skipped: a hostile header could make them as large as the file. */
const KNOWN_TAGS: ReadonlySet<number> = new Set(Object.values(TAG));

/** Bytes per value by field type: SHORT, LONG, RATIONAL. */
const TYPE_BYTES: Readonly<Record<number, number>> = { 3: 2, 4: 4, 5: 8 };
const ENTRY_BYTES = 12;
/** One strip per row of the longest page at the highest resolution. */
const MAX_STRIPS = 400_000;
/** Limit for all other tags, which have one value, or one per sample. */
const MAX_VALUES = 16;

export interface TiffTags {
  /** Values by tag. Unknown tags and types are missing. */
  readonly values: ReadonlyMap<number, readonly number[]>;
  /** True if the file has no second image. */
  readonly isOnly: boolean;
}

/** The file is truncated, or not a TIFF. */
export class TiffError extends Error {}

export async function readTiffTags(file: FileHandle): Promise<TiffTags> {
  const header = await readAt(file, 0, 8);
  const order = header.toString('latin1', 0, 2);
  if (order !== 'II' && order !== 'MM') throw new TiffError('it is not a TIFF file');
  const read = order === 'II' ? littleEndian : bigEndian;
  if (read(header, 2, 2) !== 42) throw new TiffError('it is not a TIFF file');
  const start = read(header, 4, 4);
  const count = read(await readAt(file, start, 2), 0, 2);
  const entries = await readAt(file, start + 2, count * ENTRY_BYTES);
  const values = new Map<number, number[]>();
  for (let at = 0; at < entries.length; at += ENTRY_BYTES) {
    const tag = read(entries, at, 2);
    // A hostile header could repeat a tag 65,535 times, with as many values as the file is large.
    if (!KNOWN_TAGS.has(tag) || values.has(tag)) continue;
    values.set(tag, await readValues(file, entries.subarray(at, at + ENTRY_BYTES), read));
  }
  const next = await readAt(file, start + 2 + entries.length, 4).catch(() => undefined);
  return { values, isOnly: next !== undefined && read(next, 0, 4) === 0 };
}

export function firstValue({ values }: TiffTags, tag: number): number {
  return values.get(tag)?.[0] ?? 0;
}

type ReadNumber = (buffer: Buffer, offset: number, bytes: number) => number;
const littleEndian: ReadNumber = (buffer, offset, bytes) => buffer.readUIntLE(offset, bytes);
const bigEndian: ReadNumber = (buffer, offset, bytes) => buffer.readUIntBE(offset, bytes);

async function readValues(file: FileHandle, entry: Buffer, read: ReadNumber): Promise<number[]> {
  const isStrips = [TAG.stripOffsets, TAG.stripByteCounts].some((tag) => tag === read(entry, 0, 2));
  const bytes = TYPE_BYTES[read(entry, 2, 2)];
  const count = read(entry, 4, 4);
  if (bytes === undefined || count > (isStrips ? MAX_STRIPS : MAX_VALUES)) return [];
  const inline = bytes * count <= 4;
  const values = inline ? entry.subarray(8) : await readAt(file, read(entry, 8, 4), bytes * count);
  return Array.from({ length: count }, (_, index) => {
    const at = index * bytes;
    if (bytes < 8) return read(values, at, bytes);
    return read(values, at, 4) / read(values, at + 4, 4);
  });
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, position);
  if (bytesRead < length) throw new TiffError('its header is cut off');
  return buffer;
}
