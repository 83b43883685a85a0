/** One byte per pixel, row by row. */
export interface GrayImage {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint8Array;
}

/** The header that Pillow writes. */
const HEADER = /^P5\s(?<width>\d+) (?<height>\d+)\s255\s/;
const MAX_HEADER_BYTES = 40;

/** Throws an Error for anything but an 8-bit PGM file. */
export function parsePgm(bytes: Uint8Array): GrayImage {
  const header = HEADER.exec(Buffer.from(bytes.subarray(0, MAX_HEADER_BYTES)).toString('latin1'));
  const [width, height] = [Number(header?.groups?.['width']), Number(header?.groups?.['height'])];
  const pixels = bytes.subarray(header?.[0].length);
  if (!header || pixels.length !== width * height) throw new Error('not a PGM image');
  return { width, height, pixels };
}
