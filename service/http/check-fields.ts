import type Joi from 'joi';
import { Failure } from '../../helpers/failure.ts';

/** Wrong fields that a caller is told of at once; a body of 64 KB can have 16,000. */
const MAX_FIELDS_TOLD = 20;

/**
 * Checks what a caller sent; throws a Failure with that code which names the wrong fields and what was expected of each:
 * all of them, or the first MAX_FIELDS_TOLD.
 */
export function checkFields<T>(
  schema: Joi.ObjectSchema<T>,
  given: unknown,
  code: 'invalid_body' | 'invalid_parameter',
): T {
  const { value, error } = schema.validate(given, { errors: { label: 'path' } });
  if (!error) return value;
  const fields = error.details.slice(0, MAX_FIELDS_TOLD).map((detail) => ({
    field: detail.path.join('.') || '(body)',
    expected: detail.message,
  }));
  const untold = error.details.length - fields.length;
  const told = fields.map((field) => field.expected).join('; ');
  throw new Failure(
    code,
    `the request is not valid: ${told}${untold > 0 ? `; and ${untold} more` : ''}`,
    { facts: { fields } },
  );
}
