import Joi from 'joi';
import { pixelsWithin } from '../tools/memory.ts';
import type { JobContext } from '../tools/toolbox.ts';

export interface PrepareOptions {
  readonly tiff: string;
  /** File for the plain image; null when `tiff` is plain. */
  readonly plain: string | null;
  /** File for a small gray copy, for measuring skew; null for none. */
  readonly small: string | null;
}

export interface Prepared {
  readonly width: number;
  readonly height: number;
  readonly dpi: number;
  readonly bilevel: boolean;
  readonly small_dpi: number;
  readonly images: number;
}

export interface TurnOptions {
  readonly tiff: string;
  readonly out: string;
  /** Quarters of a circle, clockwise. */
  readonly quarters: number;
  /** A small angle, clockwise, on top of that. */
  readonly degrees: number;
}

export interface ComposeOptions {
  readonly tiff: string;
  readonly out: string;
  readonly dpi: number;
  readonly optimize: number;
  /** Text-only PDF of Tesseract; null for a page without text. */
  readonly text: string | null;
  /** JBIG2 stream of a bilevel image; null to compress it otherwise. */
  readonly jbig2: string | null;
  /** Codes of Tesseract. */
  readonly languages: readonly string[];
}

const count = Joi.number().integer().min(1).required();

const preparedSchema = Joi.object<Prepared, true>({
  width: count,
  height: count,
  dpi: count,
  bilevel: Joi.boolean().required(),
  small_dpi: count,
  images: count,
});
const turnedSchema = Joi.object<{ width: number; height: number }, true>({
  width: count,
  height: count,
});
const composedSchema = Joi.object<{ bytes: number }, true>({ bytes: count });

/** Reads all of a TIFF and makes it plain. Throws Failure `unreadable_page` when it is damaged or too large. */
export function prepareImage(options: PrepareOptions, context: JobContext): Promise<Prepared> {
  // A plain image was measured by its header; what another one becomes is only known here.
  const max_pixels = options.plain === null ? null : pixelsWithin(context.memoryBytes);
  const job = { job: 'prepare', options: { ...options, max_pixels }, schema: preparedSchema };
  return context.toolbox.python.run(job, context);
}

/** Writes a turned copy of a plain image. */
export function turnImage(
  options: TurnOptions,
  context: JobContext,
): Promise<{ width: number; height: number }> {
  return context.toolbox.python.run({ job: 'turn', options, schema: turnedSchema }, context);
}

/** Has OCRmyPDF write a one-page PDF: see page_pdf.py. Throws Failure `unreadable_page` when the image is damaged. */
export function composePage(
  options: ComposeOptions,
  context: JobContext,
): Promise<{ bytes: number }> {
  return context.toolbox.python.run({ job: 'compose', options, schema: composedSchema }, context);
}
