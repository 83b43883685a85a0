import Joi from 'joi';
import { expecting, wholeNumber } from '../../helpers/rules.ts';
import { NOT_IN_TITLES } from '../../helpers/processor-contract.ts';
import type { DocumentMetadata } from './destination.ts';
import { MAX_TITLE_CHARACTERS } from './upload/title.ts';

export const MAX_TAGS = 100;
const MAX_CUSTOM_FIELDS = 100;
/** The range of Paperless-ngx. */
const MAX_SERIAL_NUMBER = 4_294_967_295;

/** Longest name of anything in Paperless-ngx, in characters. */
export const MAX_NAME_CHARACTERS = 128;

/** Without control characters, and without blanks at its ends, which Paperless-ngx takes away. */
const NAME = /^(?!\s)[^\p{Cc}\p{Cs}]+(?<!\s)$/u;

const reference = Joi.alternatives(
  Joi.number().integer().min(1).max(2_147_483_647),
  Joi.string().max(MAX_NAME_CHARACTERS).pattern(NAME),
).messages(
  expecting(
    'a name or an id of Paperless-ngx: text without blanks at its ends, or a whole number from 1 on',
  ),
);

/**
 * The values that custom fields have in Paperless-ngx: text, numbers, yes or no, nothing, and lists of document ids. What is
 * nested deeper is no value, and a deep one could neither be hashed nor written down.
 */
const scalar = Joi.alternatives(
  Joi.string()
    .allow('')
    .pattern(/[\0\p{Cs}]/u, { invert: true }),
  Joi.number().unsafe(),
  Joi.boolean(),
  Joi.valid(null),
);
const customFieldValue = Joi.alternatives(scalar, Joi.array().items(scalar)).messages(
  expecting(
    'a text without NUL or half of a surrogate pair, a number, true, false, null, or a list of these',
  ),
);

/** Rules for the metadata of a document, by field; the schemas that use them decide about unknown fields. */
export const METADATA_RULES: Readonly<Record<keyof DocumentMetadata, Joi.Schema>> = {
  title: Joi.string()
    .trim()
    .pattern(NOT_IN_TITLES, { invert: true })
    .custom(shortTitle)
    .messages({
      '*': `{{#label}} must be a text of 1 to ${MAX_TITLE_CHARACTERS} characters, without blanks at its ends`,
      'string.pattern.invert.base':
        '{{#label}} must not contain control characters such as tabs or line breaks, or half of a surrogate pair',
    }),
  created: Joi.string().custom(calendarDate).messages(expecting('a date such as 2026-11-21')),
  // Ends at the first wrong one: comparing what is no id with each other costs without bound.
  tags: Joi.array()
    .items(reference)
    .max(MAX_TAGS)
    .unique()
    .prefs({ abortEarly: true })
    .messages(expecting(`a list of at most ${MAX_TAGS} names or ids, each once`)),
  correspondent: reference,
  document_type: reference,
  storage_path: reference,
  archive_serial_number: wholeNumber(0, MAX_SERIAL_NUMBER),
  custom_fields: Joi.object()
    .pattern(Joi.string().max(MAX_NAME_CHARACTERS).pattern(NAME), customFieldValue)
    .max(MAX_CUSTOM_FIELDS)
    .messages({
      '*': `{{#label}} must be an object with at most ${MAX_CUSTOM_FIELDS} values by the name or id of their custom field`,
      'object.unknown': '{{#label}} must be the name or id of a custom field',
    }),
};

/** Paperless-ngx counts code points, where joi counts UTF-16 units. */
function shortTitle(value: string, helpers: Joi.CustomHelpers): string | Joi.ErrorReport {
  return Array.from(value).length > MAX_TITLE_CHARACTERS ? helpers.error('string.max') : value;
}

function calendarDate(value: string, helpers: Joi.CustomHelpers): string | Joi.ErrorReport {
  const date = new Date(`${value}T00:00:00Z`);
  const isDate = /^\d{4}-\d{2}-\d{2}$/.test(value) && !Number.isNaN(date.getTime());
  return isDate && date.toISOString().startsWith(value) ? value : helpers.error('date.format');
}
