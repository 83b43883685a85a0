import Joi from 'joi';

/** The same message for every violation of a rule: what the value must be. */
export function expecting(expected: string): Joi.LanguageMessages {
  return { '*': `{{#label}} must be ${expected}` };
}

export const flag = Joi.boolean().messages(expecting('true or false'));

export function oneOf(...values: readonly (string | number | boolean)[]): Joi.AnySchema {
  const [last = '', ...others] = values.toReversed();
  const listed = others.length > 0 ? `${others.toReversed().join(', ')} or ${last}` : `${last}`;
  return Joi.valid(...values).messages(expecting(listed));
}

export function wholeNumber(min: number, max: number): Joi.NumberSchema {
  const expected = expecting(`a whole number from ${min} to ${max}`);
  return Joi.number().integer().min(min).max(max).messages(expected);
}
