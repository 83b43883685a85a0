import type Joi from 'joi';
import { Failure } from '../../failure.ts';
import {
  documentOptionsSchema,
  pageOptionsSchema,
  type DocumentOptions,
  type PageOptions,
} from '../../processor-contract.ts';

/** Reads the query of POST /pages; throws Failure `invalid_parameter` that names everything that is wrong. */
export function readPageOptions(query: URLSearchParams): PageOptions {
  const repeated = [...new Set(query.keys())].find((key) => query.getAll(key).length > 1);
  if (repeated !== undefined) {
    throw new Failure('invalid_parameter', `"${repeated}" is given twice. Give it once.`);
  }
  const { languages, ...rest } = Object.fromEntries(query);
  const given = { ...rest, ...(languages !== undefined && { languages: languages.split(',') }) };
  const { value, error } = pageOptionsSchema.validate(given, { abortEarly: false });
  if (error) throw new Failure('invalid_parameter', `The query is wrong: ${sentence(error)}`);
  return Object.freeze(value);
}

/** Reads the part `options` of POST /documents; throws Failure `invalid_body` that names everything that is wrong. */
export function readDocumentOptions(text: string): DocumentOptions {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch (cause) {
    throw new Failure('invalid_body', 'The part "options" is not JSON.', { cause });
  }
  const options = { abortEarly: false, convert: false };
  const { value, error } = documentOptionsSchema.validate(given, options);
  if (error) throw new Failure('invalid_body', `The part "options" is wrong: ${sentence(error)}`);
  return Object.freeze(value);
}

function sentence(error: Joi.ValidationError): string {
  return `${error.details.map(({ message }) => message).join('; ')}.`;
}
