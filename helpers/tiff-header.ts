import { open, type FileHandle } from 'node:fs/promises';

/** What the header of a TIFF file says of its first image (TIFF 6.0, Adobe 1992). */
export interface TiffImage {
  readonly width: number;
  readonly height: number;
  /** Horizontal and vertical; undefined where the file does not say. */
  readonly dpi: { readonly x: number; readonly y: number } | undefined;
  readonly bytes: number;
}

export type TiffReading =
  | { readonly complete: true; readonly image: TiffImage }
  /** `reason` says what is missing. */
  | { readonly complete: false; readonly reason: string };

const TAG = {
  width: 256,
  height: 257,
  bitsPerSample: 258,
  compression: 259,
  stripOffsets: 273,
  samplesPerPixel: 277,
  stripByteCounts: 279,
  xResolution: 282,
  yResolution: 283,
  resolutionUnit: 296,
} as const;

/** The others are not looked at: a hostile header could make each of them as large as the file. */
const KNOWN_TAGS: ReadonlySet<number> = new Set(Object.values(TAG));

/** Bytes of a value by its field type: BYTE, ASCII, SHORT, LONG, RATIONAL. */
const TYPE_BYTES: Readonly<Record<number, number>> = { 1: 1, 2: 1, 3: 2, 4: 4, 5: 8 };
const ENTRY_BYTES = 12;
const UNCOMPRESSED = 1;
const CENTIMETRE = 3;
const MM_PER_INCH = 25.4;
/** A strip a row of the longest page at the finest resolution; more is no page. */
const MAX_VALUES = 400_000;

/**
 * Reads the header and finds out whether the file holds the whole image: every strip lies inside the file, and the
 * strips of an uncompressed image add up to its size. scanimage itself does not notice a file that the disk had no
 * room for. Rejects when the file cannot be read at all.
 */
export async function readTiff(filename: string): Promise<TiffReading> {
  const file = await open(filename);
  try {
    const { size } = await file.stat();
    return await readImage(file, size);
  } catch (error) {
    if (error instanceof MissingPart) return { complete: false, reason: error.message };
    throw error;
  } finally {
    await file.close();
  }
}

/** Ends the reading of a file that is shorter than its header says, or no TIFF at all. */
class MissingPart extends Error {}

async function readImage(file: FileHandle, size: number): Promise<TiffReading> {
  const tags = await readTags(file);
  const width = one(tags, TAG.width);
  const height = one(tags, TAG.height);
  const offsets = tags.get(TAG.stripOffsets) ?? [];
  const counts = tags.get(TAG.stripByteCounts) ?? [];
  if (width < 1 || height < 1 || offsets.length === 0 || offsets.length !== counts.length) {
    throw new MissingPart('it has no image');
  }
  const end = offsets.reduce(
    (end, offset, strip) => Math.max(end, offset + (counts[strip] ?? 0)),
    0,
  );
  if (end > size) throw new MissingPart(`it has ${size} of ${end} bytes`);
  const stored = counts.reduce((sum, count) => sum + count, 0);
  const needed = uncompressedBytes(tags, width, height);
  if (stored < needed) throw new MissingPart(`its image has ${stored} of ${needed} bytes`);
  return { complete: true, image: { width, height, dpi: dpiOf(tags), bytes: size } };
}

/** Values of every tag of the first directory, by tag; those of tags and types that are not known here are left out. */
async function readTags(file: FileHandle): Promise<Map<number, number[]>> {
  const header = await readAt(file, 0, 8);
  const order = header.toString('latin1', 0, 2);
  if (order !== 'II' && order !== 'MM') throw new MissingPart('it is no TIFF file');
  const read = order === 'II' ? littleEndian : bigEndian;
  if (read(header, 2, 2) !== 42) throw new MissingPart('it is no TIFF file');
  const start = read(header, 4, 4);
  const count = read(await readAt(file, start, 2), 0, 2);
  const entries = await readAt(file, start + 2, count * ENTRY_BYTES);
  const tags = new Map<number, number[]>();
  for (let at = 0; at < entries.length; at += ENTRY_BYTES) {
    const tag = read(entries, at, 2);
    if (!KNOWN_TAGS.has(tag)) continue;
    tags.set(tag, await readValues(file, entries.subarray(at, at + ENTRY_BYTES), read));
  }
  return tags;
}

type ReadNumber = (buffer: Buffer, offset: number, bytes: number) => number;
const littleEndian: ReadNumber = (buffer, offset, bytes) => buffer.readUIntLE(offset, bytes);
const bigEndian: ReadNumber = (buffer, offset, bytes) => buffer.readUIntBE(offset, bytes);

async function readValues(file: FileHandle, entry: Buffer, read: ReadNumber): Promise<number[]> {
  const type = read(entry, 2, 2);
  const count = read(entry, 4, 4);
  const bytes = TYPE_BYTES[type];
  if (bytes === undefined || type < 3 || count > MAX_VALUES) return [];
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
  if (bytesRead < length) throw new MissingPart('its header is cut off');
  return buffer;
}

function one(tags: ReadonlyMap<number, readonly number[]>, tag: number): number {
  return tags.get(tag)?.[0] ?? 0;
}

function uncompressedBytes(
  tags: ReadonlyMap<number, readonly number[]>,
  width: number,
  height: number,
): number {
  if ((tags.get(TAG.compression)?.[0] ?? UNCOMPRESSED) !== UNCOMPRESSED) return 0;
  const samples = tags.get(TAG.samplesPerPixel)?.[0] ?? 1;
  const bits = tags.get(TAG.bitsPerSample)?.[0] ?? 1;
  return Math.ceil((width * samples * bits) / 8) * height;
}

function dpiOf(tags: ReadonlyMap<number, readonly number[]>): TiffImage['dpi'] {
  const perInch = tags.get(TAG.resolutionUnit)?.[0] === CENTIMETRE ? MM_PER_INCH / 10 : 1;
  const x = one(tags, TAG.xResolution) * perInch;
  const y = one(tags, TAG.yResolution) * perInch;
  return x > 0 && y > 0 && Number.isFinite(x) && Number.isFinite(y) ? { x, y } : undefined;
}
