import { STILL, type AffineMap } from './motion.ts';
import type { PageImage } from './plain-tiff.ts';

/** The image that Tesseract reads; see reading_image.py. */
export interface Reading {
  readonly image: PageImage;
  /** Maps the opened page to this image. */
  readonly motion: AffineMap;
  /** Resolution of the file. The size in `image` is given at the page's resolution. */
  readonly dpi: number;
  /** Read as a single column, as on a receipt. */
  readonly column: boolean;
}

/** Reads the page unchanged. */
export function plainReading(image: PageImage): Reading {
  return { image, motion: STILL, dpi: image.dpi, column: false };
}
