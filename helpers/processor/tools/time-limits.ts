/** An A4 page at 300 dpi. Larger images get proportionally more time. */
const USUAL_PIXELS = 2480 * 3508;

/** In milliseconds; tests shorten them. */
export interface TimeLimits {
  /** One recognition: ten times a dense page on a Raspberry Pi 4. */
  readonly recognition: number;
  /** An average page takes a fifth of a second. */
  readonly codes: number;
  /** Lossless compression takes seconds on the slowest machine. */
  readonly imageJob: number;
  /** Ten pages take a second on a common machine. */
  readonly document: number;
  /** Added per megabyte of a document, for the slowest card. */
  readonly documentMegabyte: number;
}

export const TIME_LIMITS_MS: TimeLimits = {
  recognition: 180_000,
  codes: 30_000,
  imageJob: 60_000,
  document: 60_000,
  documentMegabyte: 2000,
};

export function scaled(limitMs: number, image: { width: number; height: number }): number {
  return Math.round(limitMs * Math.max(1, (image.width * image.height) / USUAL_PIXELS));
}
