import type Joi from 'joi';
import { Failure } from '../../helpers/failure.ts';

/**
 * Checks what a caller sent; throws a Failure with that code which names every wrong field and what was expected of it.
 */
export function checkFields<T>(
  schema: Joi.ObjectSchema<T>,
  given: unknown,
  code: 'invalid_body' | 'invalid_parameter',
): T {
  const { value, error } = schema.validate(given, { errors: { label: 'path' } });
  if (!error) return value;
  const fields = error.details.map((detail) => ({
    field: detail.path.join('.') || '(body)',
    expected: detail.message,
  }));
  throw new Failure(
    code,
    `the request is not valid: ${fields.map((field) => field.expected).join('; ')}`,
    { facts: { fields } },
  );
}
