import { warning } from './warnings.ts';
import Joi from 'joi';
import { expecting, flag, oneOf, wholeNumber } from './rules.ts';
import { asciiJson } from './ascii-json.ts';
import { pageFactsSchema, type PageFacts } from './page-facts.ts';
import { readJson } from './read-json.ts';

/**
 * What the service and the processor have agreed on: the options of pages and documents, the headers of an answer, and the
 * bodies of /health and of an error. Both sides read and write it here.
 */

/** The codes of Tesseract's models: `eng`, `chi_sim_vert`, `script/Latin`; never a path that leads elsewhere. */
const LANGUAGE = /^[A-Za-z0-9_]{2,40}$|^script\/[A-Za-z0-9_]{2,40}$/u;
const MAX_LANGUAGES = 10;
const MAX_TITLE_CHARACTERS = 500;
const MAX_OPTIMIZE = 3;
const SEPARATOR = /^[^\p{Cc},]{1,100}$/u;
const MAX_SEPARATORS = 10;

/** PDF metadata are XML too, which has no control characters and no half characters. */
export const NOT_IN_TITLES = /[\p{Cc}\p{Cs}\uFFFE\uFFFF]/u;

/** A title that every PDF and every XML file can hold; it may be empty. */
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

/** One rule for each field of the `processing` of a profile, with its default. */
export const processingRules = {
  languages: languagesRule.default(['eng']),
  deskew: flag.default(false),
  rotate_pages: flag.default(true),
  rotate_backs: oneOf(0, 180).default(0),
  ocr: flag.default(true),
  output_type: oneOf('pdfa', 'pdf').default('pdfa'),
  optimize: wholeNumber(0, MAX_OPTIMIZE).default(1),
} as const;

/** How a page is to be processed. What may be left out is done for a page only when it is asked for, except OCR. */
export interface PageOptions {
  /** Codes of Tesseract. */
  readonly languages: readonly string[];
  readonly deskew: boolean;
  readonly rotate_pages: boolean;
  /** 0 loses nothing; 1 looks like the default of OCRmyPDF; 2 and 3 are smaller and show it. */
  readonly optimize: number;
  /** Measure how far the page is from blank, and its skew. */
  readonly examine?: boolean;
  /** Read bar codes, QR codes and patch codes. */
  readonly codes?: boolean;
  /** Texts of codes that mark a page as a separator, which is left out. Implies `codes`. */
  readonly separators?: readonly string[];
  /** Leave the page out if it is blank. Implies `examine`. */
  readonly drop_blank?: boolean;
  /** Degrees by which the page is turned before anything else. */
  readonly rotate?: 0 | 90 | 180 | 270;
  /** Cut the page to its paper, where the backing of the scanner shows where it ends. */
  readonly crop?: boolean;
  /** Make the page black and white; its text is recognised before. */
  readonly lineart?: boolean;
  /** Recognise the text of the page; without it, the page is not turned upright either. */
  readonly ocr?: boolean;
  /** The turn of the other pages of the scan, clockwise in degrees: taken unless the page reads worse after it. */
  readonly usual_turn?: 0 | 90 | 180 | 270;
}

/** How a document is to be assembled. */
export interface DocumentOptions {
  readonly title: string;
  readonly output_type: 'pdfa' | 'pdf';
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
  lineart: flag.default(false),
  ocr: processingRules.ocr,
  usual_turn: quarters,
} as const;

export const pageOptionsSchema =
  Joi.object<Required<PageOptions>>(pageRules).messages(UNKNOWN_FIELD);

export const documentOptionsSchema = Joi.object<DocumentOptions>({
  title: documentTitle.default(''),
  output_type: processingRules.output_type,
})
  .required()
  .messages(UNKNOWN_FIELD);

/** The query of POST /pages: lists are separated by commas, and other fields of `options` are left out. */
export function pageQuery(options: PageOptions): URLSearchParams {
  const given = Object.entries(options).filter(
    ([name, value]) => name in pageRules && value !== undefined,
  );
  return new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)]));
}

/** Headers of a page or a document; each value is JSON in ASCII. */
export const WARNINGS_HEADER = 'X-Warnings';
export const PAGE_FACTS_HEADER = 'X-Page-Facts';
export const PAGE_COUNT_HEADER = 'X-Page-Count';

const warningsSchema = Joi.array<string[]>().items(Joi.string());

/** Headers are read whole into memory by every client, and most refuse more than 8 KB of them. */
const MAX_WARNINGS = 20;
const MAX_WARNING_CHARACTERS = 200;

/** The value of WARNINGS_HEADER, of bounded length. */
export function writeWarnings(warnings: readonly string[]): string {
  const kept = warnings.slice(0, MAX_WARNINGS).map((text) => text.slice(0, MAX_WARNING_CHARACTERS));
  const left = warnings.length - kept.length;
  return asciiJson(left > 0 ? [...kept, warning('more_warnings', { count: left })] : kept);
}

/** The value of PAGE_FACTS_HEADER; bounded as long as `limitCodes` chose its codes. */
export function writePageFacts(facts: PageFacts): string {
  return asciiJson(facts);
}

/** What `writeWarnings` wrote; undefined for anything else. */
export function readWarnings(header: HeaderValue): string[] | undefined {
  return readJson(String(header), warningsSchema);
}

/** What `writePageFacts` wrote, possibly of another version; undefined for anything else. */
export function readPageFacts(header: HeaderValue): PageFacts | undefined {
  return readJson(String(header), pageFactsSchema);
}

type HeaderValue = string | readonly string[] | undefined;

/** Body of GET /health. */
export interface ProcessorHealth {
  readonly status: 'ok';
  /** By program. */
  readonly versions: Readonly<Record<string, string>>;
  /** Installed OCR languages. */
  readonly languages: readonly string[];
  /** Pages and documents that are worked on at once. */
  readonly workers: number;
}

const healthSchema = Joi.object<ProcessorHealth>({
  status: Joi.valid('ok').required(),
  versions: Joi.object().pattern(Joi.string(), Joi.string()).required(),
  languages: Joi.array().items(Joi.string()).required(),
  workers: Joi.number().integer().min(1).required(),
}).unknown();

/** Reads the body of GET /health; undefined for anything else. */
export function readHealth(text: string): ProcessorHealth | undefined {
  return readJson(text, healthSchema);
}

/** Body of every answer that is not a success. */
export interface ErrorBody {
  readonly error: string;
  readonly message: string;
}

const errorSchema = Joi.object<ErrorBody, true>({
  error: Joi.string().required(),
  message: Joi.string().required(),
});

/** Reads the body of an error; undefined for anything else. */
export function readErrorBody(text: string): ErrorBody | undefined {
  return readJson(text, errorSchema);
}
