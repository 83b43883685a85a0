import type { DeviceRequest, ScanRequest } from '../ipc/messages.ts';

export const MM_PER_INCH = 25.4;

/** Bytes that one page of this request takes as an uncompressed TIFF file, for the room it needs on disk. */
export function pageBytes(
  request: Pick<DeviceRequest, 'page_size' | 'resolution' | 'mode' | 'scanner_options'>,
): number {
  const { width_mm, height_mm } = request.page_size;
  const width = Math.ceil((width_mm / MM_PER_INCH) * request.resolution);
  const height = Math.ceil((height_mm / MM_PER_INCH) * request.resolution);
  return HEADER_BYTES + Math.ceil((width * bitsPerPixel(request)) / 8) * height;
}

/** scanimage writes 222 bytes, and more where a colour profile comes along. */
const HEADER_BYTES = 4096;

/** Modes are named by the drivers: Lineart, Halftone, Black & White; Gray, Grayscale; an unknown one counts as Color. */
function bitsPerPixel({
  mode,
  scanner_options,
}: Pick<ScanRequest, 'mode' | 'scanner_options'>): number {
  const deep = Number(scanner_options['depth']) === 16 ? 2 : 1;
  if (/lineart|halftone|black|binary/iu.test(mode)) return 1;
  return (/gr[ae]y/iu.test(mode) ? 8 : 24) * deep;
}
