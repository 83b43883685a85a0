/** A bilevel image: one byte a pixel, 0 is black. */
export interface BilevelImage {
  readonly width: number;
  readonly height: number;
  readonly dpi: number;
  readonly pixels: Uint8Array;
}

/** SHORT, LONG and RATIONAL of the TIFF 6.0 specification. */
type Entry = readonly [tag: number, type: 3 | 4 | 5, value: number];

const HEADER_BYTES = 8;
const ENTRY_BYTES = 12;
const RATIONAL_BYTES = 8;

/** A one-bit TIFF, uncompressed in one strip, 0 for white, as scanimage writes line art (sane-backends 1.2.1, frontend/stiff.c). */
export function bilevelTiff({ width, height, dpi, pixels }: BilevelImage): Buffer {
  const rowBytes = Math.ceil(width / 8);
  const entries = 12;
  const resolutionAt = HEADER_BYTES + 2 + entries * ENTRY_BYTES + 4;
  const pixelsAt = resolutionAt + 2 * RATIONAL_BYTES;
  const buffer = Buffer.alloc(pixelsAt + rowBytes * height);
  const fields: readonly Entry[] = [
    [256, 4, width],
    [257, 4, height],
    [258, 3, 1],
    [259, 3, 1],
    [262, 3, 0],
    [273, 4, pixelsAt],
    [277, 3, 1],
    [278, 4, height],
    [279, 4, rowBytes * height],
    [282, 5, resolutionAt],
    [283, 5, resolutionAt + RATIONAL_BYTES],
    [296, 3, 2],
  ];
  buffer.write('MM', 0, 'latin1');
  buffer.writeUInt16BE(42, 2);
  buffer.writeUInt32BE(HEADER_BYTES, 4);
  buffer.writeUInt16BE(fields.length, HEADER_BYTES);
  for (const [index, [tag, type, value]] of fields.entries()) {
    const at = HEADER_BYTES + 2 + index * ENTRY_BYTES;
    buffer.writeUInt16BE(tag, at);
    buffer.writeUInt16BE(type, at + 2);
    buffer.writeUInt32BE(1, at + 4);
    if (type === 3) buffer.writeUInt16BE(value, at + 8);
    else buffer.writeUInt32BE(value, at + 8);
  }
  for (const at of [resolutionAt, resolutionAt + RATIONAL_BYTES]) {
    buffer.writeUInt32BE(dpi, at);
    buffer.writeUInt32BE(1, at + 4);
  }
  for (const [index, pixel] of pixels.entries()) {
    if (pixel !== 0) continue;
    const column = index % width;
    const at = pixelsAt + Math.floor(index / width) * rowBytes + (column >> 3);
    buffer[at] = (buffer[at] ?? 0) | (0x80 >> (column & 7));
  }
  return buffer;
}
