import type Joi from 'joi';
import { Failure } from '../../helpers/failure.ts';

/** Wrong fields that one answer names; a body of 64 KB can have 16,000. */
const MAX_FIELDS = 20;

/** Fields that a body may have before each is checked: no request knows half as many, and each wrong one costs some 4 KB of memory. */
const MAX_CHECKED = 100;

/** For what no rule of a single field can say. */
const MESSAGES: Joi.LanguageMessages = {
  'any.required': '{{#label}} is missing',
  'object.base': '{{#label}} must be a JSON object',
  'object.unknown': '{{#label}} is not a known field',
};

/**
 * Checks what a caller sent; throws a Failure with that code which names the wrong fields and what was expected of each:
 * all of them, or the first MAX_FIELDS.
 */
export function checkFields<T>(
  schema: Joi.ObjectSchema<T>,
  given: unknown,
  code: 'invalid_body' | 'invalid_parameter',
): T {
  const count = Object.keys(Object(given)).length;
  if (count > MAX_CHECKED && !Array.isArray(given)) {
    const problem = `The request has ${count} fields, more than any request knows.`;
    throw new Failure(code, `${problem} Send only fields that the API documents.`);
  }
  const { value, error } = schema.validate(given, {
    errors: { label: 'path' },
    messages: MESSAGES,
  });
  if (!error) return value;
  const fields = error.details.slice(0, MAX_FIELDS).map((detail) => ({
    field: detail.path.join('.') || '(body)',
    expected: detail.message,
  }));
  const left = error.details.length - fields.length;
  const expected = fields.map((field) => field.expected).join('; ');
  const more = left > 0 ? `; and ${left} more` : '';
  throw new Failure(code, `The request has wrong fields. Correct them: ${expected}${more}.`, {
    facts: { fields },
  });
}
