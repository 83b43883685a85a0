import type { Motion } from './motion.ts';
import type { PageImage } from './plain-tiff.ts';

/** The image of a page that Tesseract reads: see reading_image.py. */
export interface Reading {
  readonly image: PageImage;
  /** How the places of the page as it was opened become those of this image. */
  readonly motion: Motion;
}
