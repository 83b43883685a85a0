import Joi from 'joi';
import { blankSchema, type Blankness } from '../../page-facts.ts';
import { pixelsWithin } from '../tools/memory.ts';
import type { AffineMap, Place } from './motion.ts';
import type { JobContext } from '../tools/toolbox.ts';

export interface PrepareOptions {
  readonly tiff: string;
  /** The file to write; null if `tiff` is already plain. */
  readonly plain: string | null;
}

export interface Prepared {
  readonly width: number;
  readonly height: number;
  readonly dpi: number;
  readonly bilevel: boolean;
  readonly images: number;
}

export interface ExamineOptions {
  readonly tiff: string;
  readonly dpi: number;
  readonly blank: boolean;
  readonly skew: boolean;
  /** File for a gray copy (PGM) to read codes from; null for none. */
  readonly codes: string | null;
  /** File for the image that Tesseract recognizes; null for none. */
  readonly reading: string | null;
}

export interface Look {
  readonly blank: Blankness | null;
  /** Null if not requested or not measurable. */
  readonly skew: number | null;
  readonly code_dpi: number | null;
  readonly reading: ReadingFacts | null;
}

/** Squares of the page with ink that may be text; see ink_cells.py. */
export interface InkCells {
  /** Side of a square in mm. */
  readonly size: number;
  readonly columns: number;
  /** One bit per square, row by row, in base64. */
  readonly cells: string;
}

interface Straightened {
  readonly width: number;
  readonly height: number;
  /** Skew before straightening, in degrees clockwise. Null if not measurable. */
  readonly skew: number | null;
  readonly straightened: boolean;
}

/** See reading_image.py. */
interface ReadingFacts extends Straightened {
  /** Resolution of the file. Width and height are at the page's resolution. */
  readonly dpi: number;
  /** True if the print is no wider than a receipt. */
  readonly narrow: boolean;
  /** False if no file was written, since the page itself is to be recognized. */
  readonly made: boolean;
  /** Null if the page's resolution is too low. */
  readonly ink: InkCells | null;
  /** In mm from the left edge. */
  readonly streaks: readonly number[];
}

/** For a second recognition. Width and height are at the page's resolution. */
interface ClearFacts extends Straightened {
  readonly dpi: number;
}

export interface SecondLookOptions {
  readonly tiff: string;
  readonly dpi: number;
  readonly out: string;
  /** Quarter turns, clockwise. */
  readonly quarters: number;
  /** Corners of words that need not be read again, in pixels of the turned page. */
  readonly read: readonly (readonly Place[])[];
}

export interface TurnOptions {
  readonly tiff: string;
  readonly out: string;
  readonly quarters: number;
}

/** Files of recognizer.py: the recognized lines, and an empty page with their font. */
export interface FoundText {
  readonly lines: string;
  readonly font: string;
  readonly dpi: number;
}

export interface ComposeOptions {
  readonly tiff: string;
  readonly out: string;
  readonly dpi: number;
  readonly optimize: number;
  readonly text: FoundText | null;
  /** JBIG2 stream of a bilevel image; null to compress otherwise. */
  readonly jbig2: string | null;
  readonly languages: readonly string[];
  /** BCP 47 tag; null if unknown. */
  readonly language: string | null;
  /** JPEG files of ink and paper; null for a page stored as one image. */
  readonly layers: { readonly ink: string; readonly paper: string } | null;
  /** Maps the recognized image to `tiff`. */
  readonly motion: AffineMap;
}

const count = Joi.number().integer().min(1).required();

const preparedSchema = Joi.object<Prepared, true>({
  width: count,
  height: count,
  dpi: count,
  bilevel: Joi.boolean().required(),
  images: count,
});
const straightenedKeys = {
  width: count,
  height: count,
  skew: Joi.number().allow(null).required(),
  straightened: Joi.boolean().required(),
};
const inkSchema = Joi.object<InkCells, true>({
  size: Joi.number().greater(0).required(),
  columns: count,
  cells: Joi.string().allow('').required(),
});
const lookSchema = Joi.object<Look, true>({
  blank: blankSchema,
  skew: Joi.number().allow(null).required(),
  code_dpi: Joi.number().greater(0).allow(null).required(),
  reading: Joi.object({
    ...straightenedKeys,
    made: Joi.boolean().required(),
    dpi: count,
    narrow: Joi.boolean().required(),
    ink: inkSchema.allow(null).required(),
    streaks: Joi.array().items(Joi.number()).required(),
  })
    .allow(null)
    .required(),
});
const clearSchema = Joi.object<ClearFacts, true>({ ...straightenedKeys, dpi: count });
const turnedSchema = Joi.object<{ width: number; height: number }, true>({
  width: count,
  height: count,
});
const composedSchema = Joi.object<{ bytes: number }, true>({ bytes: count });

/** Throws Failure `unreadable_page` if the TIFF is damaged or too large. */
export function prepareImage(options: PrepareOptions, context: JobContext): Promise<Prepared> {
  // The size of a plain image is already known from its header.
  const max_pixels = options.plain === null ? null : pixelsWithin(context.memoryBytes);
  const job = { job: 'prepare', options: { ...options, max_pixels }, schema: preparedSchema };
  return context.toolbox.python.run(job, context);
}

/** See examine.py. */
export function examineImage(options: ExamineOptions, context: JobContext): Promise<Look> {
  return context.toolbox.python.run({ job: 'examine', options, schema: lookSchema }, context);
}

/** See `look_again` in reading_image.py. */
export function makeClearImage(
  options: SecondLookOptions,
  context: JobContext,
): Promise<ClearFacts> {
  const job = { job: 'look_again', options, schema: clearSchema };
  return context.toolbox.python.run(job, context);
}

export function turnImage(
  options: TurnOptions,
  context: JobContext,
): Promise<{ width: number; height: number }> {
  return context.toolbox.python.run({ job: 'turn', options, schema: turnedSchema }, context);
}

/** See page_pdf.py. Throws Failure `unreadable_page` if `tiff` is damaged. */
export function composePage(
  options: ComposeOptions,
  context: JobContext,
): Promise<{ bytes: number }> {
  return context.toolbox.python.run({ job: 'compose', options, schema: composedSchema }, context);
}
