import type Joi from 'joi';
import { Failure } from '../../failure.ts';
import {
  documentOptionsSchema,
  pageOptionsSchema,
  type DocumentOptions,
  type PageOptions,
} from '../../processor-contract.ts';

const LISTS: readonly string[] = ['languages', 'separators'];
/** Parameters whose value is JSON. */
const OBJECTS: readonly string[] = ['cut'];

/** Throws Failure `invalid_parameter` listing every error. */
export function readPageOptions(query: URLSearchParams): Required<PageOptions> {
  const repeated = [...new Set(query.keys())].find((key) => query.getAll(key).length > 1);
  if (repeated !== undefined) {
    throw new Failure('invalid_parameter', `"${repeated}" is given twice. Give it once.`);
  }
  const given = Object.fromEntries([...query].map(([name, text]) => [name, readValue(name, text)]));
  const { value, error } = pageOptionsSchema.validate(given, { abortEarly: false });
  if (error) throw new Failure('invalid_parameter', `The query is wrong: ${sentence(error)}`);
  return Object.freeze(value);
}

/** Throws Failure `invalid_body` listing every error. */
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

function readValue(name: string, text: string): unknown {
  if (LISTS.includes(name)) return readList(text);
  if (!OBJECTS.includes(name)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function readList(text: string): string[] {
  return text === '' ? [] : text.split(',');
}
