import Joi from 'joi';
import { asciiJson } from './ascii-json.ts';

/** What the processor found out about a page. Lengths are in millimetres on the paper, from its upper left corner. */
export interface PageFacts {
  /** What was done to the page to make it upright and straight: clockwise, in degrees. */
  readonly turned: number;
  /** Whether the page was cut to its paper; null where that was not asked for. */
  readonly cropped: boolean | null;
  /** The angle by which the page was scanned askew, clockwise, in degrees; null where it was not or cannot be measured. */
  readonly skew: number | null;
  readonly words: number;
  /** Characters of all words. */
  readonly characters: number;
  /** Mean confidence of the words, weighted by their length, 0 to 100; null for a page without words. */
  readonly confidence: number | null;
  /** Null for a page that was not examined. */
  readonly blank: Blankness | null;
  /** Empty for a page on which no codes were looked for. */
  readonly codes: readonly PageCode[];
  /** Why the page was neither recognised nor made a PDF; null for a page that was. */
  readonly left_out: 'blank' | 'separator' | null;
  /** Resolution at which the page was read. Missing where nothing was, and in facts of earlier versions. */
  readonly read_dpi?: number;
  /** The first line of text, shortened; empty where there is none. Facts of earlier versions lack it. */
  readonly first_line?: string;
  /** Middles of the streaks of dirty glass, from the left edge of the page as it was scanned. Only where there are some. */
  readonly streaks?: readonly number[];
  /** The page is not blank, and no text was found on it. */
  readonly unread?: true;
}

export interface Place {
  readonly x_mm: number;
  readonly y_mm: number;
  readonly width_mm: number;
  readonly height_mm: number;
}

/** A page of a lower score is blank. */
export const BLANK_BELOW = 1;

/** How far a page is from blank. */
export interface Blankness {
  /** Below BLANK_BELOW the page is blank. */
  readonly score: number;
  /** The strongest mark; null where there is none, or where the page as a whole cannot be blank. */
  readonly mark: Place | null;
}

/** A code on a page, with the place of the box around it. */
export interface PageCode extends Place {
  readonly type: 'code39' | 'code128' | 'qr' | 'patch_t';
  readonly text: string;
}

/** As many streaks are facts of a page. */
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

/** Facts of a page, also as an earlier version wrote them, or a later one. */
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
}).unknown();

const MAX_CODES = 20;
const MAX_CODE_CHARACTERS = 300;
/** The facts are a header (processor-contract.ts), of which clients accept 8 to 16 KB together. The rest of them is short. */
const MAX_CODES_BYTES = 5 * 1024;

/** The codes that fit into the facts of a page, in the same order. */
export function limitCodes(codes: readonly PageCode[]): PageCode[] {
  const short = codes.filter(({ text }) => text.length <= MAX_CODE_CHARACTERS).slice(0, MAX_CODES);
  while (asciiJson(short).length > MAX_CODES_BYTES) short.pop();
  return short;
}
