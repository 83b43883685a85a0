import { STILL, type Motion } from './motion.ts';
import type { PageImage } from './plain-tiff.ts';

/** The image of a page that Tesseract reads: see reading_image.py. */
export interface Reading {
  readonly image: PageImage;
  /** How the places of the page as it was opened become those of this image. */
  readonly motion: Motion;
  /** Resolution of the file of the image, whose size is as if it had that of the page. */
  readonly dpi: number;
  /** Whether it is read as one column of text, as a receipt is. */
  readonly column: boolean;
}

/** A whole page, read as it is. */
export function plainReading(image: PageImage): Reading {
  return { image, motion: STILL, dpi: image.dpi, column: false };
}
