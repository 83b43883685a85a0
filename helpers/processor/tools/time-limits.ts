/** An A4 page at 300 dpi, to which the limits apply. Larger images get proportionally more. */
const USUAL_PIXELS = 2480 * 3508;

/** Time limits in milliseconds; tests shorten them. */
export interface TimeLimits {
  /** One recognition of an average page: ten times a dense page on a Raspberry Pi 4. */
  readonly recognition: number;
  /** Reading the codes of a page. An average page takes a fifth of a second. */
  readonly codes: number;
  /** A Pillow or pikepdf job. Lossless compression takes seconds on the slowest machine. */
  readonly imageJob: number;
  /** Assembling a document. Ten pages take a second on a common machine. */
  readonly document: number;
  /** Added per megabyte of a document, for reading and writing on the slowest card. */
  readonly documentMegabyte: number;
}

export const TIME_LIMITS_MS: TimeLimits = {
  recognition: 180_000,
  codes: 30_000,
  imageJob: 60_000,
  document: 60_000,
  documentMegabyte: 2000,
};

/** Scales a limit to the size of an image. */
export function scaled(limitMs: number, image: { width: number; height: number }): number {
  return Math.round(limitMs * Math.max(1, (image.width * image.height) / USUAL_PIXELS));
}
