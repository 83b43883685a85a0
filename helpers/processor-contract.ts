import { warning } from './warnings.ts';
import Joi from 'joi';
import { expecting, flag, oneOf, wholeNumber } from './rules.ts';
import type { PageSize } from './ipc/messages.ts';
import { asciiJson } from './ascii-json.ts';
import { cropRule, type Crop } from './page-crop.ts';
import { pageFactsSchema, type PageFacts } from './page-facts.ts';
import { readJson } from './read-json.ts';

/** Tesseract models: `eng`, `chi_sim_vert`, `script/Latin`. Excludes other paths. */
const LANGUAGE = /^[A-Za-z0-9_]{2,40}$|^script\/[A-Za-z0-9_]{2,40}$/u;
const MAX_LANGUAGES = 10;
const MAX_TITLE_CHARACTERS = 500;
const MAX_OPTIMIZE = 3;
/** Limits for the sides of `card_paper`. */
const MIN_PAPER_MM = 50;
const MAX_PAPER_MM = 1000;
const SEPARATOR = /^[^\p{Cc},]{1,100}$/u;
const MAX_SEPARATORS = 10;

/** PDF metadata is also stored as XML, which forbids control characters and lone surrogates. */
export const NOT_IN_TITLES = /[\p{Cc}\p{Cs}\uFFFE\uFFFF]/u;

export const documentTitle = Joi.string()
  .allow('')
  .max(MAX_TITLE_CHARACTERS)
  .pattern(NOT_IN_TITLES, { invert: true })
  .messages({
    '*': `{{#label}} must be text of at most ${MAX_TITLE_CHARACTERS} characters`,
    'string.pattern.invert.base':
      '{{#label}} must not contain control characters such as line breaks or tabs, nor half of a surrogate pair',
  });

export const languagesRule = Joi.array()
  .items(
    Joi.string()
      .pattern(LANGUAGE)
      .messages(expecting('the code of a Tesseract language, such as eng')),
  )
  .min(1)
  .max(MAX_LANGUAGES)
  .unique()
  .messages(expecting(`a list of 1 to ${MAX_LANGUAGES} different languages`));

/** Rules and defaults of a profile's `processing`. */
export const processingRules = {
  languages: languagesRule.default(['eng']),
  deskew: flag.default(false),
  rotate_pages: flag.default(true),
  rotate_backs: oneOf(0, 180).default(0),
  ocr: flag.default(true),
  output_type: oneOf('pdfa', 'pdf').default('pdfa'),
  optimize: wholeNumber(0, MAX_OPTIMIZE).default(1),
} as const;

export interface PageOptions {
  /** Tesseract codes. */
  readonly languages: readonly string[];
  readonly deskew: boolean;
  readonly rotate_pages: boolean;
  /** 0: lossless. 1: like OCRmyPDF's default. 2 and 3: smaller, with visible loss. */
  readonly optimize: number;
  /** Measures blankness and skew. */
  readonly examine?: boolean;
  readonly codes?: boolean;
  /** Texts of codes on separator pages, which are left out. Implies `codes`. */
  readonly separators?: readonly string[];
  /** Leaves out blank pages. Implies `examine`. */
  readonly drop_blank?: boolean;
  /** Degrees clockwise. Applied before all steps except `cut`. */
  readonly rotate?: 0 | 90 | 180 | 270;
  readonly crop?: boolean;
  /** The part of the scanned page to cut out first. Replaces `crop`. */
  readonly cut?: Crop | null;
  /** Reports where the paper is, as a proposal for cropping. */
  readonly find_paper?: boolean;
  /** Converts to black and white, after text recognition. */
  readonly lineart?: boolean;
  /** Recognizes text. Without it, the page is not turned upright either. */
  readonly ocr?: boolean;
  /** Rotation of the scan's other pages, clockwise. Used unless this page reads worse with it. */
  readonly usual_turn?: 0 | 90 | 180 | 270;
}

export interface DocumentOptions {
  readonly title: string;
  readonly output_type: 'pdfa' | 'pdf';
  /** Puts the pages, the sides of a card, on one page of this paper if they fit. */
  readonly card_paper?: PageSize | undefined;
}

const UNKNOWN_FIELD = {
  'object.unknown': '{{#label}} is unknown',
  'object.base': '{{#label}} must be a JSON object',
};

const quarters = Joi.number()
  .valid(0, 90, 180, 270)
  .messages(expecting('0, 90, 180 or 270'))
  .default(0);

const pageRules = {
  languages: processingRules.languages,
  deskew: processingRules.deskew,
  rotate_pages: processingRules.rotate_pages,
  optimize: processingRules.optimize,
  examine: flag.default(false),
  codes: flag.default(false),
  separators: Joi.array()
    .items(Joi.string().pattern(SEPARATOR))
    .max(MAX_SEPARATORS)
    .messages(
      expecting(`a list of at most ${MAX_SEPARATORS} texts without commas and control characters`),
    )
    .default([]),
  drop_blank: flag.default(false),
  rotate: quarters,
  crop: flag.default(false),
  cut: cropRule.allow(null).default(null),
  find_paper: flag.default(false),
  lineart: flag.default(false),
  ocr: processingRules.ocr,
  usual_turn: quarters,
} as const;

export const pageOptionsSchema =
  Joi.object<Required<PageOptions>>(pageRules).messages(UNKNOWN_FIELD);

const paperEdge = Joi.number().min(MIN_PAPER_MM).max(MAX_PAPER_MM).required();

export const documentOptionsSchema = Joi.object<DocumentOptions>({
  title: documentTitle.default(''),
  output_type: processingRules.output_type,
  card_paper: Joi.object({ width_mm: paperEdge, height_mm: paperEdge }).messages(UNKNOWN_FIELD),
})
  .required()
  .messages(UNKNOWN_FIELD);

/** Lists become comma-separated, `cut` becomes JSON. Unknown fields are dropped. */
export function pageQuery({ cut, ...options }: PageOptions): URLSearchParams {
  const given = Object.entries(options).filter(
    ([name, value]) => name in pageRules && value !== undefined,
  );
  const query = new URLSearchParams(
    given.map(([name, value]): [string, string] => [name, String(value)]),
  );
  if (cut) query.set('cut', JSON.stringify(cut));
  return query;
}

/** Response headers, whose values are ASCII JSON. */
export const WARNINGS_HEADER = 'X-Warnings';
export const PAGE_FACTS_HEADER = 'X-Page-Facts';
export const PAGE_COUNT_HEADER = 'X-Page-Count';

const warningsSchema = Joi.array<string[]>().items(Joi.string());

/** Most clients reject more than 8 KB of headers. */
const MAX_WARNINGS = 20;
const MAX_WARNING_CHARACTERS = 200;

export function writeWarnings(warnings: readonly string[]): string {
  const kept = warnings.slice(0, MAX_WARNINGS).map((text) => text.slice(0, MAX_WARNING_CHARACTERS));
  const left = warnings.length - kept.length;
  return asciiJson(left > 0 ? [...kept, warning('more_warnings', { count: left })] : kept);
}

export function writePageFacts(facts: PageFacts): string {
  return asciiJson(facts);
}

export function readWarnings(header: HeaderValue): string[] | undefined {
  return readJson(String(header), warningsSchema);
}

/** Undefined if invalid. Accepts page facts of other versions. */
export function readPageFacts(header: HeaderValue): PageFacts | undefined {
  return readJson(String(header), pageFactsSchema);
}

type HeaderValue = string | readonly string[] | undefined;

export interface ProcessorHealth {
  readonly status: 'ok';
  readonly versions: Readonly<Record<string, string>>;
  readonly languages: readonly string[];
  readonly workers: number;
}

const healthSchema = Joi.object<ProcessorHealth>({
  status: Joi.valid('ok').required(),
  versions: Joi.object().pattern(Joi.string(), Joi.string()).required(),
  languages: Joi.array().items(Joi.string()).required(),
  workers: Joi.number().integer().min(1).required(),
}).unknown();

export function readHealth(text: string): ProcessorHealth | undefined {
  return readJson(text, healthSchema);
}

export interface ErrorBody {
  readonly error: string;
  readonly message: string;
}

const errorSchema = Joi.object<ErrorBody, true>({
  error: Joi.string().required(),
  message: Joi.string().required(),
});

export function readErrorBody(text: string): ErrorBody | undefined {
  return readJson(text, errorSchema);
}
