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

type Field = readonly [tag: number, type: 3 | 4 | 5, values: readonly number[]];

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
  const fields = (offsets: readonly number[]): Field[] => [
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
  const headerBytes = writeHeader(fields(counts.map(() => 0)), byteOrder).length;
  let at = headerBytes;
  const offsets = counts.map((count) => (at += count) - count);
  const pixels = counts.reduce((sum, count) => sum + count, 0);
  return Buffer.concat([writeHeader(fields(offsets), byteOrder), Buffer.alloc(pixels)]);
}

function writeHeader(fields: readonly Field[], order: 'II' | 'MM'): Buffer {
  const directoryBytes = 2 + fields.length * 12 + 4;
  const buffer = Buffer.alloc(8 + directoryBytes + extraBytes(fields));
  const write = (value: number, offset: number, bytes: number): void =>
    void (order === 'II'
      ? buffer.writeUIntLE(value, offset, bytes)
      : buffer.writeUIntBE(value, offset, bytes));
  buffer.write(order, 0, 'latin1');
  write(42, 2, 2);
  write(8, 4, 4);
  write(fields.length, 8, 2);
  let extra = 8 + directoryBytes;
  for (const [index, [tag, type, values]] of fields.entries()) {
    const at = 10 + index * 12;
    const size = TYPE_BYTES[type];
    const count = type === 5 ? values.length / 2 : values.length;
    write(tag, at, 2);
    write(type, at + 2, 2);
    write(count, at + 4, 4);
    const inline = size * count <= 4;
    const start = inline ? at + 8 : extra;
    if (!inline) {
      write(extra, at + 8, 4);
      extra += size * count;
    }
    const each = type === 5 ? 4 : size;
    for (const [place, value] of values.entries()) write(value, start + place * each, each);
  }
  return buffer;
}

function extraBytes(fields: readonly Field[]): number {
  return fields
    .map(([, type, values]) => TYPE_BYTES[type] * (type === 5 ? values.length / 2 : values.length))
    .filter((bytes) => bytes > 4)
    .reduce((sum, bytes) => sum + bytes, 0);
}
