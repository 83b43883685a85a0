import Joi from 'joi';
import { expecting } from './rules.ts';
import { LOG_LEVELS } from './log.ts';

export const host = Joi.string().default('127.0.0.1');
export const port = Joi.number()
  .port()
  .messages(expecting('the number of a port, from 0 to 65535'));
export const logLevel = Joi.string()
  .valid(...LOG_LEVELS)
  .messages(expecting(`one of ${LOG_LEVELS.join(', ')}`))
  .default('info');

/**
 * Empty variables, as in compose files, count as unset. Throws an Error that names each invalid
 * variable and the expected value, but not the actual one, which may be secret.
 */
export function readVariables<T>(schema: Joi.ObjectSchema<T>, variables: NodeJS.ProcessEnv): T {
  const set = Object.entries(variables).filter(([, value]) => value !== '');
  const { value, error } = schema
    .unknown()
    .validate(Object.fromEntries(set), { abortEarly: false });
  if (!error) return value;
  const wrong = error.details.map(({ message }) => message).join('; ');
  throw new Error(`Wrong environment variables: ${wrong}.`);
}

export function splitList(value: string): string[] {
  const items = value.split(',').map((item) => item.trim().toLowerCase());
  return items.filter((item) => item !== '');
}
