/** A TIFF file as scanner programs write it; tests may set invalid fields. */
export interface TiffShape {
  readonly width?: number;
  readonly height?: number;
  /**
   * A pair if horizontal and vertical differ. 0 omits the tag; NaN is written as 0/0, Infinity as
   * 1/0.
   */
  readonly dpi?: number | readonly [number, number];
  readonly bitsPerSample?: number;
  readonly samplesPerPixel?: number;
  readonly byteOrder?: 'II' | 'MM';
  readonly strips?: number;
  readonly rowsPerStrip?: number;
  /** 0: the value 0 is white. 1: the value 0 is black. Omitted from the file if undefined. */
  readonly photometric?: number;
  readonly compression?: number;
  /** 2 for inches, 3 for centimetres. Omitted if `dpi` is 0. */
  readonly resolutionUnit?: number;
  /** Replaces the black pixels. Requires a single strip. */
  readonly pixels?: Buffer;
  /** Extra tags of type SHORT, such as 274 for the orientation. */
  readonly tags?: Readonly<Record<number, readonly number[]>>;
  readonly images?: number;
}

/** A SHORT, LONG or RATIONAL (numerator, denominator) as in TIFF 6.0. */
type TiffField = readonly [tag: number, type: 3 | 4 | 5, values: readonly number[]];

const TYPE_BYTES = { 3: 2, 4: 4, 5: 8 } as const;

/** Black pixels in strips, directory first, as scanimage writes them. */
export function tiffFile(shape: TiffShape = {}): Buffer {
  const { width = 100, height = 60, strips = 1, byteOrder = 'MM', images = 1 } = shape;
  const { bitsPerSample = 8, samplesPerPixel = 1 } = shape;
  const rowBytes = Math.ceil((width * bitsPerSample * samplesPerPixel) / 8);
  const rowsPerStrip = Math.ceil(height / strips);
  const rows = Array.from({ length: strips }, (_, strip) =>
    Math.min(rowsPerStrip, height - strip * rowsPerStrip),
  );
  const pixels = shape.pixels ?? Buffer.alloc(height * rowBytes);
  const counts = shape.pixels ? [pixels.length] : rows.map((count) => count * rowBytes);
  const directory = (offsets: readonly number[], at: number, next: number): Buffer =>
    directoryOf(fieldsOf(shape, offsets, counts), byteOrder, at, next);
  const directoryBytes = directory(counts, 0, 0).length;
  const header = Buffer.from(byteOrder === 'II' ? 'II*\0\x08\0\0\0' : 'MM\0*\0\0\0\x08', 'latin1');
  const parts: Buffer[] = [header];
  for (let image = 1, at = header.length; image <= images; image += 1) {
    let strip = at + directoryBytes;
    const offsets = counts.map((count) => (strip += count) - count);
    parts.push(directory(offsets, at, image === images ? 0 : strip), pixels);
    at = strip;
  }
  return Buffer.concat(parts);
}

function fieldsOf(
  shape: TiffShape,
  offsets: readonly number[],
  counts: readonly number[],
): TiffField[] {
  const { width = 100, height = 60, dpi = 100, bitsPerSample = 8, samplesPerPixel = 1 } = shape;
  const { compression = 1, resolutionUnit = 2, photometric, rowsPerStrip, tags = {} } = shape;
  const [across = 0, down = across] = [dpi].flat();
  const ratio = (value: number): number[] =>
    Number.isFinite(value) ? [Math.round(value * 100), 100] : [value > 0 ? 1 : 0, 0];
  const fields: TiffField[] = [
    [256, 3, [width]],
    [257, 4, [height]],
    [258, 3, Array.from({ length: samplesPerPixel }, () => bitsPerSample)],
    [259, 3, [compression]],
    [273, 4, offsets],
    [277, 3, [samplesPerPixel]],
    [279, 4, counts],
  ];
  if (photometric !== undefined) fields.push([262, 3, [photometric]]);
  if (rowsPerStrip !== undefined) fields.push([278, 3, [rowsPerStrip]]);
  if (dpi !== 0)
    fields.push([282, 5, ratio(across)], [283, 5, ratio(down)], [296, 3, [resolutionUnit]]);
  for (const [tag, values] of Object.entries(tags)) fields.push([Number(tag), 3, values]);
  return fields.toSorted(([one], [other]) => one - other);
}

/** An image file directory for this file offset, followed by the values that do not fit into it. */
function directoryOf(
  fields: readonly TiffField[],
  order: 'II' | 'MM',
  at: number,
  next: number,
): Buffer {
  const directoryBytes = 2 + fields.length * 12 + 4;
  const long = fields.map(([, type, values]) => bytesOf(type, values)).filter((size) => size > 4);
  const buffer = Buffer.alloc(long.reduce((sum, size) => sum + size, directoryBytes));
  const write = writerOf(buffer, order);
  write(fields.length, 0, 2);
  write(next, directoryBytes - 4, 4);
  let extra = directoryBytes;
  for (const [index, [tag, type, values]] of fields.entries()) {
    const entry = 2 + index * 12;
    const size = bytesOf(type, values);
    write(tag, entry, 2);
    write(type, entry + 2, 2);
    write(size / TYPE_BYTES[type], entry + 4, 4);
    const inline = size <= 4;
    const start = inline ? entry + 8 : extra;
    if (!inline) {
      write(at + extra, entry + 8, 4);
      extra += size;
    }
    const each = size / values.length;
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

function bytesOf(type: 3 | 4 | 5, values: readonly number[]): number {
  return values.length * (type === 5 ? 4 : TYPE_BYTES[type]);
}
