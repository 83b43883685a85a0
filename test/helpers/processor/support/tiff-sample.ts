import { writeFile } from 'node:fs/promises';

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

const SHORT = 3;
const LONG = 4;
const RATIONAL = 5;

interface Entry {
  readonly tag: number;
  readonly type: number;
  readonly values: readonly number[];
}

/** Writes an uncompressed little-endian TIFF 6.0 file, tag by tag: no library writes the odd ones that scanners do. */
export async function writeTiff(file: string, sample: TiffSample): Promise<void> {
  const header = Buffer.from('II*\0\0\0\0\0', 'latin1');
  const parts: Buffer[] = [header];
  let position = header.length;
  let link: { buffer: Buffer; offset: number } = { buffer: header, offset: 4 };
  for (let image = 0; image < (sample.images ?? 1); image += 1) {
    const pixelsAt = position;
    parts.push(sample.pixels);
    position += sample.pixels.length;
    link.buffer.writeUInt32LE(position, link.offset);
    const directory = directoryOf(entriesOf(sample, pixelsAt), position);
    parts.push(directory.buffer);
    position += directory.buffer.length;
    link = { buffer: directory.buffer, offset: directory.linkOffset };
  }
  await writeFile(file, Buffer.concat(parts));
}

/** A gray sample: a dark bar across light paper. */
export function graySample(width: number, height: number): TiffSample {
  const pixels = Buffer.alloc(width * height, 240);
  pixels.fill(20, Math.floor(height / 2) * width, (Math.floor(height / 2) + 4) * width);
  return { width, height, bits: [8], photometric: 1, pixels, dpi: [300, 300] };
}

function entriesOf(sample: TiffSample, pixelsAt: number): Entry[] {
  const short = (tag: number, ...values: number[]): Entry => ({ tag, type: SHORT, values });
  const long = (tag: number, value: number): Entry => ({ tag, type: LONG, values: [value] });
  const ratio = (tag: number, value: number): Entry => ({ tag, type: RATIONAL, values: [value] });
  const { dpi, colorMap, shorts = {} } = sample;
  const entries = [
    long(256, sample.width),
    long(257, sample.height),
    short(258, ...sample.bits),
    short(259, 1),
    short(262, sample.photometric),
    long(273, pixelsAt),
    short(277, sample.bits.length),
    long(278, sample.height),
    long(279, sample.pixels.length),
    ...(dpi ? [ratio(282, dpi[0]), ratio(283, dpi[1]), short(296, 2)] : []),
    ...(colorMap ? [short(320, ...colorMap)] : []),
    ...Object.entries(shorts).map(([tag, value]) => short(Number(tag), value)),
  ];
  return entries.toSorted((a, b) => a.tag - b.tag);
}

function directoryOf(
  entries: readonly Entry[],
  at: number,
): { buffer: Buffer; linkOffset: number } {
  const linkOffset = 2 + entries.length * 12;
  const head = Buffer.alloc(linkOffset + 4);
  const tail: Buffer[] = [];
  let tailAt = at + head.length;
  head.writeUInt16LE(entries.length, 0);
  for (const [index, entry] of entries.entries()) {
    const values = encode(entry);
    const place = 2 + index * 12;
    head.writeUInt16LE(entry.tag, place);
    head.writeUInt16LE(entry.type, place + 2);
    head.writeUInt32LE(entry.values.length, place + 4);
    if (values.length <= 4) {
      values.copy(head, place + 8);
    } else {
      head.writeUInt32LE(tailAt, place + 8);
      tail.push(values);
      tailAt += values.length;
    }
  }
  return { buffer: Buffer.concat([head, ...tail]), linkOffset };
}

function encode({ type, values }: Entry): Buffer {
  const size = { [SHORT]: 2, [LONG]: 4, [RATIONAL]: 8 }[type] ?? 0;
  const buffer = Buffer.alloc(values.length * size);
  for (const [index, value] of values.entries()) {
    if (type === SHORT) buffer.writeUInt16LE(value, index * 2);
    else if (type === LONG) buffer.writeUInt32LE(value, index * 4);
    else {
      buffer.writeUInt32LE(Math.round(value * 100), index * 8);
      buffer.writeUInt32LE(100, index * 8 + 4);
    }
  }
  return buffer;
}
