import type Joi from 'joi';

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Converts no values. Undefined if invalid. */
export function readJson<T>(text: string, schema: Joi.Schema<T>): T | undefined {
  const { value, error } = schema.required().validate(parseJson(text), { convert: false });
  return error ? undefined : value;
}
