import type Joi from 'joi';

/** The value of a JSON text; undefined for any other text. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** JSON that fits the schema as it is; undefined for anything else. */
export function readJson<T>(text: string, schema: Joi.Schema<T>): T | undefined {
  const { value, error } = schema.required().validate(parseJson(text), { convert: false });
  return error ? undefined : value;
}
