import Joi from 'joi';
import { unexpected } from './processor-failures.ts';

const schema = Joi.array().items(Joi.string()).required();

/** Warnings from a header, a JSON array; throws Failure `processing_failed` for anything else. */
export function readWarnings(
  baseUrl: URL,
  what: string,
  header: string | readonly string[] | undefined,
): string[] {
  try {
    return Joi.attempt(JSON.parse(String(header)), schema, { convert: false });
  } catch {
    throw unexpected(baseUrl, what, 'without readable warnings');
  }
}
