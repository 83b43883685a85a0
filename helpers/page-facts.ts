import Joi from 'joi';
import { asciiJson } from './ascii-json.ts';
import { cropRule, type Crop } from './page-crop.ts';

/** The processor's findings. Positions are in mm from the upper left corner. */
export interface PageFacts {
  /** Rotation that made the page upright and straight, in degrees clockwise. */
  readonly turned: number;
  /** Null if not requested. */
  readonly cropped: boolean | null;
  /** Degrees clockwise, of the scanned page. Null if not measured or not measurable. */
  readonly skew: number | null;
  readonly words: number;
  readonly characters: number;
  /** Mean of the words' confidence, weighted by length, 0 to 100. Null without words. */
  readonly confidence: number | null;
  readonly blank: Blankness | null;
  readonly codes: readonly PageCode[];
  /** Why the page was left out of recognition and the PDF; null if it was not. */
  readonly left_out: 'blank' | 'separator' | null;
  /** Resolution of the recognized image. Missing without recognition and from earlier versions. */
  readonly read_dpi?: number;
  /** Shortened; may be empty. Missing from earlier versions. */
  readonly first_line?: string;
  /** Positions of streaks from dirty glass, from the left edge. Missing if none. */
  readonly streaks?: readonly number[];
  /** Set if no text was found on a page that is not blank. */
  readonly unread?: true;
  /** Print without recognized words. Missing if there is little, and from earlier versions. */
  readonly missed?: MissedPrint;
  /** The paper on the scanned page; null if not found. Missing if not requested. */
  readonly paper?: Crop | null;
}

export interface Place {
  readonly x_mm: number;
  readonly y_mm: number;
  readonly width_mm: number;
  readonly height_mm: number;
}

/** Parts of the filed page. `several`: spread over more than one. */
export const PAGE_AREAS = ['top', 'bottom', 'left', 'right', 'middle', 'several'] as const;
export type PageArea = (typeof PAGE_AREAS)[number];

export interface MissedPrint {
  /** Share of the page's ink on which no word was found. */
  readonly percent: number;
  readonly where: PageArea;
}

export const BLANK_BELOW = 1;

export interface Blankness {
  /** A page below BLANK_BELOW is blank. */
  readonly score: number;
  /** The mark that decided; null if there is none, or if the whole page decided. */
  readonly mark: Place | null;
}

export interface PageCode extends Place {
  readonly type: 'code39' | 'code128' | 'qr' | 'patch_t';
  readonly text: string;
}

export const MAX_STREAKS = 20;

const millimetres = Joi.number().required();
const place = {
  x_mm: millimetres,
  y_mm: millimetres,
  width_mm: millimetres,
  height_mm: millimetres,
};

export const blankSchema = Joi.object<Blankness>({
  score: Joi.number().min(0).required(),
  mark: Joi.object(place).unknown().allow(null).required(),
})
  .unknown()
  .allow(null)
  .default(null);

export const pageFactsSchema = Joi.object<PageFacts>({
  turned: Joi.number().required(),
  cropped: Joi.boolean().allow(null).default(null),
  skew: Joi.number().allow(null).default(null),
  words: Joi.number().integer().min(0).required(),
  characters: Joi.number().integer().min(0).required(),
  confidence: Joi.number().min(0).max(100).allow(null).required(),
  blank: blankSchema,
  codes: Joi.array()
    .items(
      Joi.object({
        type: Joi.string().required(),
        text: Joi.string().allow('').required(),
        ...place,
      }).unknown(),
    )
    .default([]),
  left_out: Joi.valid('blank', 'separator', null).default(null),
  read_dpi: Joi.number().integer().min(1),
  first_line: Joi.string().allow(''),
  streaks: Joi.array().items(Joi.number().min(0)).max(MAX_STREAKS),
  unread: Joi.valid(true),
  missed: Joi.object<MissedPrint>({
    percent: Joi.number().min(0).max(100).required(),
    where: Joi.string().required(),
  }).unknown(),
  paper: cropRule.allow(null),
}).unknown();

const MAX_CODES = 20;
const MAX_CODE_CHARACTERS = 300;
/** Clients accept 8 to 16 KB of headers in total. */
const MAX_CODES_BYTES = 5 * 1024;

/** Drops the codes that do not fit into the header. */
export function limitCodes(codes: readonly PageCode[]): PageCode[] {
  const short = codes.filter(({ text }) => text.length <= MAX_CODE_CHARACTERS).slice(0, MAX_CODES);
  while (asciiJson(short).length > MAX_CODES_BYTES) short.pop();
  return short;
}
