import Joi from 'joi';

/**
 * What the service and the processor have agreed on: the options of pages and documents, the headers of an answer, and the
 * bodies of /health and of an error. Both sides read and write it here.
 */

/** The codes of Tesseract's models: `eng`, `chi_sim_vert`, `script/Latin`; never a path that leads elsewhere. */
const LANGUAGE = /^[A-Za-z0-9_]{2,40}$|^script\/[A-Za-z0-9_]{2,40}$/u;
const MAX_LANGUAGES = 10;
const MAX_TITLE_CHARACTERS = 500;
const MAX_OPTIMIZE = 3;

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

const flag = Joi.boolean().messages({ '*': '{{#label}} must be true or false' });

/** One rule for each field of the `processing` of a profile, with its default. */
export const processingRules = {
  languages: Joi.array()
    .items(
      Joi.string()
        .pattern(LANGUAGE)
        .messages({ '*': '{{#label}} must be the code of a Tesseract language, such as eng' }),
    )
    .min(1)
    .max(MAX_LANGUAGES)
    .unique()
    .messages({ '*': `{{#label}} must be a list of 1 to ${MAX_LANGUAGES} different languages` })
    .default(['eng']),
  deskew: flag.default(false),
  rotate_pages: flag.default(true),
  output_type: Joi.valid('pdfa', 'pdf')
    .messages({ '*': '{{#label}} must be pdfa or pdf' })
    .default('pdfa'),
  optimize: Joi.number()
    .integer()
    .min(0)
    .max(MAX_OPTIMIZE)
    .messages({ '*': `{{#label}} must be a whole number from 0 to ${MAX_OPTIMIZE}` })
    .default(1),
} as const;

/** How a page is to be processed. */
export interface PageOptions {
  /** Codes of Tesseract. */
  readonly languages: readonly string[];
  readonly deskew: boolean;
  readonly rotate_pages: boolean;
  /** 0 loses nothing; 1 looks like the default of OCRmyPDF; 2 and 3 are smaller and show it. */
  readonly optimize: number;
}

/** How a document is to be assembled. */
export interface DocumentOptions {
  readonly title: string;
  readonly output_type: 'pdfa' | 'pdf';
  readonly languages: readonly string[];
}

const UNKNOWN_FIELD = {
  'object.unknown': '{{#label}} is unknown',
  'object.base': '{{#label}} must be a JSON object',
};

export const pageOptionsSchema = Joi.object<PageOptions>({
  languages: processingRules.languages,
  deskew: processingRules.deskew,
  rotate_pages: processingRules.rotate_pages,
  optimize: processingRules.optimize,
}).messages(UNKNOWN_FIELD);

export const documentOptionsSchema = Joi.object<DocumentOptions>({
  title: documentTitle.default(''),
  output_type: processingRules.output_type,
  languages: processingRules.languages,
})
  .required()
  .messages(UNKNOWN_FIELD);

/** The query of POST /pages. */
export function pageQuery({
  languages,
  deskew,
  rotate_pages,
  optimize,
}: PageOptions): URLSearchParams {
  return new URLSearchParams({
    languages: languages.join(','),
    deskew: String(deskew),
    rotate_pages: String(rotate_pages),
    optimize: String(optimize),
  });
}

/** What recognition found out about a page. */
export interface PageFacts {
  /** What was done to the page to make it upright and straight: clockwise, in degrees. */
  readonly turned: number;
  readonly words: number;
  /** Characters of all words. */
  readonly characters: number;
  /** Mean confidence of the words, weighted by their length, 0 to 100; null for a page without words. */
  readonly confidence: number | null;
}

/** Headers of a page or a document; each value is JSON in ASCII. */
export const WARNINGS_HEADER = 'X-Warnings';
export const PAGE_FACTS_HEADER = 'X-Page-Facts';
export const PAGE_COUNT_HEADER = 'X-Page-Count';

const factsSchema = Joi.object<PageFacts, true>({
  turned: Joi.number().required(),
  words: Joi.number().integer().min(0).required(),
  characters: Joi.number().integer().min(0).required(),
  confidence: Joi.number().min(0).max(100).allow(null).required(),
}).unknown();

const warningsSchema = Joi.array<string[]>().items(Joi.string());

/** Headers are read whole into memory by every client, and most refuse more than 8 KB of them. */
const MAX_WARNINGS = 20;
const MAX_WARNING_CHARACTERS = 200;

/** The value of WARNINGS_HEADER, of bounded length. */
export function writeWarnings(warnings: readonly string[]): string {
  const kept = warnings.slice(0, MAX_WARNINGS).map((text) => text.slice(0, MAX_WARNING_CHARACTERS));
  const left = warnings.length - kept.length;
  return asciiJson(left > 0 ? [...kept, `${left} more warnings`] : kept);
}

/** The value of PAGE_FACTS_HEADER. */
export function writePageFacts(facts: PageFacts): string {
  return asciiJson(facts);
}

/** What `writeWarnings` wrote; undefined for anything else. */
export function readWarnings(header: HeaderValue): string[] | undefined {
  return readJson(header, warningsSchema);
}

/** What `writePageFacts` wrote, possibly of another version; undefined for anything else. */
export function readPageFacts(header: HeaderValue): PageFacts | undefined {
  return readJson(header, factsSchema);
}

type HeaderValue = string | readonly string[] | undefined;

function asciiJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    /[^\x20-\x7E]/g,
    (unit) => String.raw`\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Body of GET /health. */
export interface ProcessorHealth {
  readonly status: 'ok';
  /** By program. */
  readonly versions: Readonly<Record<string, string>>;
  /** Installed OCR languages. */
  readonly languages: readonly string[];
  /** Pages and documents that are worked on at once. */
  readonly workers: number;
  /** False where pages are not turned upright, as Tesseract does not report what it finds. */
  readonly turns_pages?: boolean;
}

const healthSchema = Joi.object<ProcessorHealth>({
  status: Joi.valid('ok').required(),
  versions: Joi.object().pattern(Joi.string(), Joi.string()).required(),
  languages: Joi.array().items(Joi.string()).required(),
  workers: Joi.number().integer().min(1).required(),
  turns_pages: Joi.boolean(),
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

/** JSON that fits the schema as it is; undefined for anything else. */
function readJson<T>(text: HeaderValue, schema: Joi.Schema<T>): T | undefined {
  try {
    const { value, error } = schema
      .required()
      .validate(JSON.parse(String(text)), { convert: false });
    return error ? undefined : value;
  } catch {
    return undefined;
  }
}
