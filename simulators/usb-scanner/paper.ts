import sharp from 'sharp';
import { renderPage, type PageFile } from '../virtual-scanner/page-images.ts';
import { UNITS_PER_INCH } from '../virtual-scanner/scan-settings.ts';

export type Composition = 'lineart' | 'gray' | 'color';

/** The scanned area of SET WINDOW, in 1/1200 inch. */
export interface ScanWindow {
  readonly dpi: number;
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly length: number;
  readonly composition: Composition;
}

export interface Image {
  readonly width: number;
  readonly height: number;
  readonly bytes: Buffer;
}

const WINDOW_UNITS = 1200;

const MIDDLE = 128;

/**
 * The part of the page in a window. Gray and colour are inverted (0 is white); line art has 1 for
 * black and eight pixels per byte (reverse_by_mode of the backend).
 */
export async function scanPage(file: PageFile, window: ScanWindow): Promise<Image> {
  const { dpi, composition } = window;
  const [x, y, w, h] = [window.left, window.top, window.width, window.length].map((length) =>
    Math.round((length * UNITS_PER_INCH) / WINDOW_UNITS),
  ) as [number, number, number, number];
  const rendered = await renderPage(file, {
    source: 'ADF',
    mode: composition === 'color' ? 'Color' : 'Gray',
    resolution: dpi,
    region: { x, y, width: w, height: h },
    format: 'image/png',
  });
  const { width, height } = pixelsOf(window);
  const image = sharp(rendered).resize({ width, height, fit: 'fill' });
  const bytes = await (composition === 'color' ? image : image.toColourspace('b-w'))
    .raw()
    .toBuffer();
  if (composition === 'lineart') return { width, height, bytes: packed(bytes, width, height) };
  for (let index = 0; index < bytes.length; index += 1) bytes[index] = 255 - (bytes[index] ?? 0);
  return { width, height, bytes };
}

/** In pixels. Line art has whole bytes per line. */
export function pixelsOf({ dpi, width, length, composition }: ScanWindow): {
  width: number;
  height: number;
} {
  const across = Math.floor((width * dpi) / WINDOW_UNITS);
  return {
    width: composition === 'lineart' ? across - (across % 8) : across,
    height: Math.floor((length * dpi) / WINDOW_UNITS),
  };
}

export function bytesPerLine(width: number, composition: Composition): number {
  return { lineart: width / 8, gray: width, color: width * 3 }[composition];
}

function packed(gray: Buffer, width: number, height: number): Buffer {
  const bits = Buffer.alloc((width / 8) * height);
  for (let index = 0; index < gray.length; index += 1) {
    if ((gray[index] ?? 0) < MIDDLE)
      bits[index >> 3] = (bits[index >> 3] ?? 0) | (0x80 >> (index & 7));
  }
  return bits;
}
