import { STILL, type AffineMap } from './motion.ts';
import type { PageImage } from './plain-tiff.ts';

/** The image that Tesseract recognizes; see reading_image.py. */
export interface Reading {
  readonly image: PageImage;
  /** Maps the opened page to this image. */
  readonly motion: AffineMap;
  /** Resolution of the file. The size in `image` is at the page's resolution. */
  readonly dpi: number;
  /** True for a single column of text, as on a receipt. */
  readonly column: boolean;
}

export function plainReading(image: PageImage): Reading {
  return { image, motion: STILL, dpi: image.dpi, column: false };
}
