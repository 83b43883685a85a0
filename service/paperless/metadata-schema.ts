import Joi from 'joi';
import { expecting, wholeNumber } from '../../helpers/rules.ts';
import { NOT_IN_TITLES } from '../../helpers/processor-contract.ts';
import type { DocumentMetadata } from './destination.ts';
import { MAX_TITLE_CHARACTERS } from './upload/title.ts';

export const MAX_TAGS = 100;
const MAX_CUSTOM_FIELDS = 100;
/** The limit of Paperless-ngx. */
const MAX_SERIAL_NUMBER = 4_294_967_295;

/** The limit of Paperless-ngx. */
export const MAX_NAME_CHARACTERS = 128;

/** Rejects control characters, and blanks at the ends, which Paperless-ngx would remove. */
const NAME = /^(?!\s)[^\p{Cc}\p{Cs}]+(?<!\s)$/u;

const reference = Joi.alternatives(
  Joi.number().integer().min(1).max(2_147_483_647),
  Joi.string().max(MAX_NAME_CHARACTERS).pattern(NAME),
).messages(
  expecting(
    'a name or an id of Paperless-ngx: text without blanks at its ends, or a whole number from 1 on',
  ),
);

/** Scalars or lists of document ids. Deeper nesting could overflow the stack. */
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

/** The schemas that use these rules decide whether other fields are allowed. */
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
  // Stops at the first error, because comparing many invalid items takes long.
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

/** Paperless-ngx counts code points; joi counts UTF-16 units. */
function shortTitle(value: string, helpers: Joi.CustomHelpers): string | Joi.ErrorReport {
  return Array.from(value).length > MAX_TITLE_CHARACTERS ? helpers.error('string.max') : value;
}

function calendarDate(value: string, helpers: Joi.CustomHelpers): string | Joi.ErrorReport {
  const date = new Date(`${value}T00:00:00Z`);
  const isDate = /^\d{4}-\d{2}-\d{2}$/.test(value) && !Number.isNaN(date.getTime());
  return isDate && date.toISOString().startsWith(value) ? value : helpers.error('date.format');
}
