/** Pixels of an A4 page at 300 dpi, which the limits below are for; a larger image gets more in proportion. */
const USUAL_PIXELS = 2480 * 3508;

/** Time limits in milliseconds; tests shorten them. */
export interface TimeLimits {
  /** One recognition of a usual page: ten times what a dense page takes on the slowest machine, a Raspberry Pi 4. */
  readonly recognition: number;
  /** Reading the codes on a page of any size: a fifth of a second for a usual one on a common machine. */
  readonly codes: number;
  /** A job of Pillow or pikepdf on a usual page: seconds on the slowest machine, when it compresses without loss. */
  readonly imageJob: number;
  /** Assembling a document: a second for ten pages on a common machine. */
  readonly document: number;
  /** What every megabyte of a document adds to that, read and written on the slowest card. */
  readonly documentMegabyte: number;
}

export const TIME_LIMITS_MS: TimeLimits = {
  recognition: 180_000,
  codes: 30_000,
  imageJob: 60_000,
  document: 60_000,
  documentMegabyte: 2000,
};

/** A limit for a usual page, for an image of this size. */
export function scaled(limitMs: number, image: { width: number; height: number }): number {
  return Math.round(limitMs * Math.max(1, (image.width * image.height) / USUAL_PIXELS));
}
