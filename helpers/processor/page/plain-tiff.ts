import { open, type FileHandle } from 'node:fs/promises';

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

/** TIFF tags (TIFF 6.0, Adobe 1992) and the values that a plain image has; a tag that is left out has the first value. */
const PLAIN_TAGS: ReadonlyMap<number, readonly number[]> = new Map([
  [258, [1, 8]], // BitsPerSample
  [274, [1]], // Orientation: upright
  [277, [1, 3]], // SamplesPerPixel
  [284, [1]], // PlanarConfiguration: colours together
  [296, [2]], // ResolutionUnit: inch
]);
const WIDTH = 256;
const HEIGHT = 257;
const BITS = 258;
const PHOTOMETRIC = 262;
const SAMPLES = 277;
const X_RESOLUTION = 282;
const Y_RESOLUTION = 283;

/** PhotometricInterpretation by the number of samples: white is zero, black is zero; RGB. */
const PLAIN_COLOURS: Readonly<Record<number, readonly number[]>> = { 1: [0, 1], 3: [2] };

const MIN_DPI = 30;
const MAX_DPI = 4800;
/** The limit that page_image.py has too. */
const MAX_PIXELS = 300_000_000;

/** Bytes of a value by its field type: SHORT, LONG, RATIONAL. */
const TYPE_BYTES: Readonly<Record<number, number>> = { 3: 2, 4: 4, 5: 8 };
const ENTRY_BYTES = 12;
const MAX_ENTRIES = 1000;

/**
 * Looks at the header of a TIFF, which takes no time. Undefined when the image is not plain or the file is not a TIFF:
 * then it takes page_image.py to tell which, and to make it plain.
 */
export async function readPlainTiff(filename: string): Promise<PageImage | undefined> {
  const file = await open(filename);
  try {
    return plainImage(filename, await readTags(file));
  } finally {
    await file.close();
  }
}

function plainImage(
  file: string,
  tags: ReadonlyMap<number, readonly number[]>,
): PageImage | undefined {
  const one = (tag: number): number => tags.get(tag)?.[0] ?? PLAIN_TAGS.get(tag)?.[0] ?? 0;
  const [width, height] = [one(WIDTH), one(HEIGHT)];
  const dpi = Math.round(one(X_RESOLUTION));
  const plain =
    [...PLAIN_TAGS].every(([tag, values]) =>
      (tags.get(tag) ?? []).every((v) => values.includes(v)),
    ) &&
    (PLAIN_COLOURS[one(SAMPLES)]?.includes(one(PHOTOMETRIC)) ?? false) &&
    (one(SAMPLES) === 1 || one(BITS) === 8) &&
    dpi === Math.round(one(Y_RESOLUTION)) &&
    dpi >= MIN_DPI &&
    dpi <= MAX_DPI &&
    width * height > 0 &&
    width * height <= MAX_PIXELS;
  return plain ? { file, width, height, dpi, bilevel: one(BITS) === 1 } : undefined;
}

/** Values of the tags of the only image in the file; none when there are several, or none that can be read. */
async function readTags(file: FileHandle): Promise<Map<number, number[]>> {
  const header = await readAt(file, 0, 8);
  const order = header.toString('latin1', 0, 2);
  if (order !== 'II' && order !== 'MM') return new Map();
  const read = order === 'II' ? littleEndian : bigEndian;
  if (header.length < 8 || read(header, 2, 2) !== 42) return new Map();
  const start = read(header, 4, 4);
  const countBytes = await readAt(file, start, 2);
  const count = countBytes.length === 2 ? read(countBytes, 0, 2) : 0;
  const entries = await readAt(file, start + 2, count * ENTRY_BYTES + 4);
  const isOnly =
    entries.length === count * ENTRY_BYTES + 4 && read(entries, entries.length - 4, 4) === 0;
  const tags = new Map<number, number[]>();
  if (!isOnly || count > MAX_ENTRIES) return tags;
  for (let at = 0; at < count * ENTRY_BYTES; at += ENTRY_BYTES) {
    tags.set(
      read(entries, at, 2),
      await readValues(file, entries.subarray(at, at + ENTRY_BYTES), read),
    );
  }
  return tags;
}

type ReadNumber = (buffer: Buffer, offset: number, bytes: number) => number;
const littleEndian: ReadNumber = (buffer, offset, bytes) => buffer.readUIntLE(offset, bytes);
const bigEndian: ReadNumber = (buffer, offset, bytes) => buffer.readUIntBE(offset, bytes);

/** The first values of a tag: no tag that matters here has more than three. */
async function readValues(file: FileHandle, entry: Buffer, read: ReadNumber): Promise<number[]> {
  const bytes = TYPE_BYTES[read(entry, 2, 2)];
  if (bytes === undefined) return [];
  const count = Math.min(read(entry, 4, 4), 3);
  const inline = bytes * read(entry, 4, 4) <= 4;
  const values = inline ? entry.subarray(8) : await readAt(file, read(entry, 8, 4), bytes * count);
  return Array.from({ length: Math.min(count, Math.floor(values.length / bytes)) }, (_, index) => {
    const at = index * bytes;
    return bytes < 8 ? read(values, at, bytes) : read(values, at, 4) / read(values, at + 4, 4);
  });
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}
