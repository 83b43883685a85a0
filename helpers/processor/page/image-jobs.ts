import Joi from 'joi';
import { blankSchema, type Blankness } from '../../page-facts.ts';
import { pixelsWithin } from '../tools/memory.ts';
import type { Motion } from './motion.ts';
import type { JobContext } from '../tools/toolbox.ts';

export interface PrepareOptions {
  readonly tiff: string;
  /** File for the plain image; null when `tiff` is plain. */
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
  /** Measure how far the page is from blank. */
  readonly blank: boolean;
  readonly skew: boolean;
  /** File for a gray copy to read codes on (PGM); null for none. */
  readonly codes: string | null;
  /** File for the image that Tesseract reads; null for none. */
  readonly reading: string | null;
}

export interface Look {
  /** Null where it was not asked for. */
  readonly blank: Blankness | null;
  /** Null where it was not asked for, or cannot be measured. */
  readonly skew: number | null;
  /** Resolution of the copy; null where there is none. */
  readonly code_dpi: number | null;
  /** Null where it was not asked for. */
  readonly reading: ReadingFacts | null;
}

/** Where a page has ink that may be text: see ink_cells.py. */
export interface InkCells {
  /** Of the squares, in mm. */
  readonly size: number;
  readonly columns: number;
  /** A bit for each square, row by row; base64. */
  readonly cells: string;
}

/** How an image to read lies on its page. */
interface Straightened {
  readonly width: number;
  readonly height: number;
  /** Clockwise, in degrees, before the image was straightened, if it is enough to be; null where it cannot be measured. */
  readonly skew: number | null;
  /** Whether it was straightened. */
  readonly straightened: boolean;
}

/** The image to read: see reading_image.py. */
interface ReadingFacts extends Straightened {
  /** Of its file; its size is as if it had that of the page. */
  readonly dpi: number;
  /** Whether what is printed is no wider than a receipt. */
  readonly narrow: boolean;
  /** Whether it was written; otherwise it is the page itself. */
  readonly made: boolean;
  /** Null where the page is too coarse to know. */
  readonly ink: InkCells | null;
  /** Middles of the streaks of dirty glass, in mm from the left edge. */
  readonly streaks: readonly number[];
}

/** The image for a second look; its size is as if it had the resolution of the page. */
interface ClearFacts extends Straightened {
  readonly dpi: number;
}

export interface SecondLookOptions {
  readonly tiff: string;
  readonly dpi: number;
  readonly out: string;
  /** Quarters of a circle, clockwise. */
  readonly quarters: number;
}

export interface TurnOptions {
  readonly tiff: string;
  readonly out: string;
  /** Quarters of a circle, clockwise. */
  readonly quarters: number;
}

/** What recognizer.py wrote about an image of `dpi`: the file of the lines that it found, and a page without text that has the font for them. */
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
  /** Null for a page without text. */
  readonly text: FoundText | null;
  /** JBIG2 stream of a bilevel image; null to compress it otherwise. */
  readonly jbig2: string | null;
  /** Codes of Tesseract. */
  readonly languages: readonly string[];
  /** Tag of the natural language of the text (BCP 47); null where it is not known. */
  readonly language: string | null;
  /** JPEG files of the colours of a bilevel image and of what is around it; null for a page of one image. */
  readonly layers: { readonly ink: string; readonly paper: string } | null;
  /** How places of the image that was read become places of `tiff`. */
  readonly motion: Motion;
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

/** Reads all of a TIFF and makes it plain. Throws Failure `unreadable_page` when it is damaged or too large. */
export function prepareImage(options: PrepareOptions, context: JobContext): Promise<Prepared> {
  // A plain image was measured by its header; what another one becomes is only known here.
  const max_pixels = options.plain === null ? null : pixelsWithin(context.memoryBytes);
  const job = { job: 'prepare', options: { ...options, max_pixels }, schema: preparedSchema };
  return context.toolbox.python.run(job, context);
}

/** Looks at a plain image: see examine.py. */
export function examineImage(options: ExamineOptions, context: JobContext): Promise<Look> {
  return context.toolbox.python.run({ job: 'examine', options, schema: lookSchema }, context);
}

/** Writes the image for a second recognition of a plain image: see reading_image.py. */
export function makeClearImage(
  options: SecondLookOptions,
  context: JobContext,
): Promise<ClearFacts> {
  const job = { job: 'look_again', options, schema: clearSchema };
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
