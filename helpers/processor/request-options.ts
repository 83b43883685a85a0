import Joi from 'joi';
import { Refusal } from './refusal.ts';

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
  readonly optimize: number;
  readonly languages: readonly string[];
}

/** As the model files are named: `eng`, `chi_sim_vert`, `script/Latin`. Never a path that leads elsewhere. */
const language = Joi.string()
  .pattern(/^[A-Za-z0-9_]{2,40}$|^script\/[A-Za-z0-9_]{2,40}$/u, 'the code of a Tesseract language')
  .max(50);
const MAX_LANGUAGES = 10;
const languages = Joi.array().items(language).min(1).max(MAX_LANGUAGES).unique();

const MAX_TITLE_CHARACTERS = 500;

const pageSchema = Joi.object<PageOptions>({
  languages: languages.default(['eng']),
  deskew: Joi.boolean().default(false),
  rotate_pages: Joi.boolean().default(true),
  optimize: Joi.number().integer().min(0).max(3).default(1),
});

const documentSchema = Joi.object<DocumentOptions>({
  title: Joi.string()
    .allow('')
    .max(MAX_TITLE_CHARACTERS)
    // PDF metadata are XML too, which has no control characters.
    .pattern(/[\p{Cc}\p{Cs}\uFFFE\uFFFF]/u, { invert: true, name: 'control characters' })
    .default(''),
  output_type: Joi.valid('pdfa', 'pdf').default('pdfa'),
  optimize: Joi.number().integer().min(0).max(3).default(1),
  languages: languages.default(['eng']),
});

/** Reads the query of a page; throws Refusal `invalid_request` that names what is wrong. */
export function readPageOptions(query: URLSearchParams): PageOptions {
  const repeated = [...new Set(query.keys())].find((key) => query.getAll(key).length > 1);
  if (repeated !== undefined) throw new Refusal('invalid_request', `"${repeated}" is given twice`);
  const { languages, ...rest } = Object.fromEntries(query);
  const given = { ...rest, ...(languages !== undefined && { languages: languages.split(',') }) };
  return validated(pageSchema.validate(given, { abortEarly: false }), 'query');
}

/** Reads the `options` part of a document; throws Refusal `invalid_request` that names what is wrong. */
export function readDocumentOptions(text: string): DocumentOptions {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch (error) {
    throw new Refusal('invalid_request', 'the part "options" is not JSON', error);
  }
  const options = { abortEarly: false, convert: false };
  return validated(documentSchema.required().validate(given, options), 'options');
}

function validated<T>({ value, error }: Joi.ValidationResult<T>, where: string): T {
  if (error) throw new Refusal('invalid_request', `wrong ${where}: ${error.message}`);
  return Object.freeze(value);
}
