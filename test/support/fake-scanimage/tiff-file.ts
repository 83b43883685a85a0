/** A TIFF file as scanners' programs write it, for tests that need one that is special. */
export interface TiffShape {
  readonly width?: number;
  readonly height?: number;
  readonly dpi?: number;
  readonly bitsPerSample?: number;
  readonly samplesPerPixel?: number;
  readonly byteOrder?: 'II' | 'MM';
  readonly strips?: number;
  /** Left out, the file does not say. */
  readonly rowsPerStrip?: number;
  /** 0 where 0 is white, 1 where it is black; left out, the file does not say. */
  readonly photometric?: number;
  readonly compression?: number;
  /** 2 is inches, 3 is centimetres; left out with `dpi` 0. */
  readonly resolutionUnit?: number;
}

/** A SHORT, LONG or RATIONAL (numerator, denominator) of TIFF 6.0. */
export type TiffField = readonly [tag: number, type: 3 | 4 | 5, values: readonly number[]];

const TYPE_BYTES = { 3: 2, 4: 4, 5: 8 } as const;

/** Black pixels in strips, directory first, as scanimage does. */
export function tiffFile(shape: TiffShape = {}): Buffer {
  const { width = 100, height = 60, dpi = 100, strips = 1 } = shape;
  const { bitsPerSample = 8, samplesPerPixel = 1, byteOrder = 'MM' } = shape;
  const { compression = 1, resolutionUnit = 2, photometric, rowsPerStrip: toldRows } = shape;
  const rowBytes = Math.ceil((width * bitsPerSample * samplesPerPixel) / 8);
  const rowsPerStrip = Math.ceil(height / strips);
  const counts = Array.from(
    { length: strips },
    (_, strip) => Math.min(rowsPerStrip, height - strip * rowsPerStrip) * rowBytes,
  );
  const fields = (offsets: readonly number[]): TiffField[] => [
    [256, 3, [width]],
    [257, 4, [height]],
    [258, 3, Array.from({ length: samplesPerPixel }, () => bitsPerSample)],
    [259, 3, [compression]],
    ...(photometric === undefined ? [] : ([[262, 3, [photometric]]] as const)),
    [273, 4, offsets],
    [277, 3, [samplesPerPixel]],
    ...(toldRows === undefined ? [] : ([[278, 3, [toldRows]]] as const)),
    [279, 4, counts],
    ...(dpi === 0
      ? []
      : ([
          [282, 5, [dpi, 1]],
          [283, 5, [dpi, 1]],
          [296, 3, [resolutionUnit]],
        ] as const)),
  ];
  const header = (offsets: readonly number[]): Buffer =>
    Buffer.concat([tiffHeader(byteOrder, HEADER_BYTES), tiffDirectory(fields(offsets), byteOrder)]);
  let at = header(counts.map(() => 0)).length;
  const offsets = counts.map((count) => (at += count) - count);
  const pixels = counts.reduce((sum, count) => sum + count, 0);
  return Buffer.concat([header(offsets), Buffer.alloc(pixels)]);
}

const HEADER_BYTES = 8;

/** The start of a file whose first directory is there. */
export function tiffHeader(order: 'II' | 'MM', directoryAt: number): Buffer {
  const buffer = Buffer.alloc(HEADER_BYTES);
  const write = writerOf(buffer, order);
  buffer.write(order, 0, 'latin1');
  write(42, 2, 2);
  write(directoryAt, 4, 4);
  return buffer;
}

/** The directory of an image, with the values that are too long for it, for that place in a file; the next one is at `next`. */
export function tiffDirectory(
  fields: readonly TiffField[],
  order: 'II' | 'MM',
  at = HEADER_BYTES,
  next = 0,
): Buffer {
  const directoryBytes = 2 + fields.length * 12 + 4;
  const buffer = Buffer.alloc(directoryBytes + extraBytes(fields));
  const write = writerOf(buffer, order);
  write(fields.length, 0, 2);
  write(next, directoryBytes - 4, 4);
  let extra = directoryBytes;
  for (const [index, [tag, type, values]] of fields.entries()) {
    const entry = 2 + index * 12;
    const size = TYPE_BYTES[type];
    const count = type === 5 ? values.length / 2 : values.length;
    write(tag, entry, 2);
    write(type, entry + 2, 2);
    write(count, entry + 4, 4);
    const inline = size * count <= 4;
    const start = inline ? entry + 8 : extra;
    if (!inline) {
      write(at + extra, entry + 8, 4);
      extra += size * count;
    }
    const each = type === 5 ? 4 : size;
    for (const [place, value] of values.entries()) write(value, start + place * each, each);
  }
  return buffer;
}

function writerOf(
  buffer: Buffer,
  order: 'II' | 'MM',
): (value: number, offset: number, bytes: number) => void {
  return (value, offset, bytes) =>
    void (order === 'II'
      ? buffer.writeUIntLE(value, offset, bytes)
      : buffer.writeUIntBE(value, offset, bytes));
}

function extraBytes(fields: readonly TiffField[]): number {
  return fields
    .map(([, type, values]) => TYPE_BYTES[type] * (type === 5 ? values.length / 2 : values.length))
    .filter((bytes) => bytes > 4)
    .reduce((sum, bytes) => sum + bytes, 0);
}
