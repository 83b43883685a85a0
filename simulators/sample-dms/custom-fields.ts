import type { CustomFieldType, SampleObject } from './objects.ts';
import { isPythonDate, pythonInteger } from './python-values.ts';

/** Thrown for values on which the real system's code fails: the response is 500. */
export class ServerError extends Error {}

const MAX_STRING_LENGTH = 128;
const SHAPE = 'Custom fields must be a list of integers or an object mapping ids to values.';
const MONEY = 'Must be a two-decimal number with optional currency code e.g. GBP123.45';
const [MIN_INTEGER, MAX_INTEGER] = [-2_147_483_648, 2_147_483_647];

/**
 * Reads the JSON text of the form field `custom_fields`: a list of ids, or values by id. Throws the message of the 400.
 * `documents` are the ids that a document link may contain.
 */
export function readCustomFields(
  text: string,
  fields: readonly SampleObject[],
  documents: readonly number[],
): unknown {
  const value = parseJson(text);
  if (typeof value === 'number') return value === 0 ? undefined : readIds([value], fields);
  if (value === null || value === false || value === '') return undefined;
  if (value === true) return readIds([1], fields);
  if (Array.isArray(value)) return readIds(value, fields);
  if (typeof value !== 'object') throw new Error(SHAPE);
  const entries = Object.entries(value).map(([key, one]): [number, unknown] => {
    const id = pythonInteger(key);
    if (id === undefined) throw new Error(`Custom field id must be an integer: ${key}`);
    const field = fields.find((candidate) => candidate.id === id);
    if (field === undefined) throw new Error(`Custom field with id ${id} does not exist`);
    if (one !== null) checkValue(field, one, documents);
    return [id, one];
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error('Value must be valid JSON.', { cause: error });
  }
}

function readIds(values: readonly unknown[], fields: readonly SampleObject[]): unknown {
  const ids = values.map((value) => {
    const id = typeof value === 'string' ? pythonInteger(value) : Math.trunc(Number(value));
    if (id === undefined || value === null || Number.isNaN(id)) throw new Error(SHAPE);
    return id;
  });
  if (ids.some((id) => fields.every((field) => field.id !== id))) {
    throw new Error("Some custom fields don't exist or were specified twice.");
  }
  return ids.length === 0 ? undefined : ids;
}

type Check = (value: unknown, field: SampleObject, documents: readonly number[]) => void;

/** All other types accept any value. */
const CHECKS: Partial<Record<CustomFieldType, Check>> = {
  string: (value) => {
    const length = pythonLength(value);
    if (length <= MAX_STRING_LENGTH) return;
    throw new Error(
      `Ensure this value has at most ${MAX_STRING_LENGTH} characters (it has ${length}).`,
    );
  },
  url: (value) => {
    if (pythonLength(value) === 0) return;
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    const [scheme, rest] = /^[a-z][a-z0-9+.-]*:(.*)$/is.exec(text) ?? [];
    if (scheme === undefined) throw new Error(`Unable to parse URI ${text}, missing scheme`);
    if (rest === '' || rest === '//') {
      throw new Error(`Unable to parse URI ${text}, missing net location or path`);
    }
  },
  integer: (value) => {
    if (typeof value === 'boolean' || !/^-?\d+$/.test(String(value))) {
      throw new Error('Enter a valid integer.');
    }
    const bound = Number(value) < MIN_INTEGER ? `greater than or equal to ${MIN_INTEGER}` : '';
    const other = Number(value) > MAX_INTEGER ? `less than or equal to ${MAX_INTEGER}` : bound;
    if (other !== '') throw new Error(`Ensure this value is ${other}.`);
  },
  monetary: (value) => {
    const text = String(value);
    const plain = /^\s*[-+]?\d{1,10}(\.\d{0,2})?\s*$/.test(text);
    if (!plain && value !== '' && !/^[A-Z]{3}-?\d+(\.\d{1,2})$/.test(text)) throw new Error(MONEY);
  },
  date: (value) => {
    if (typeof value === 'string' && isPythonDate(value)) return;
    throw new Error('Date has wrong format. Use one of these formats instead: YYYY-MM-DD.');
  },
  select: (value, { select_options: options = [] }) => {
    if (options.some(({ id }) => id === value)) return;
    const shown = options.map(({ id, label }) => `{'id': '${id}', 'label': '${label}'}`);
    throw new Error(`Value must be an id of an element in [${shown.join(', ')}]`);
  },
  documentlink: (value, _field, documents) => {
    if (!Array.isArray(value)) throw new Error('Value must be a list');
    if (value.every((id) => documents.includes(Number(id)))) return;
    throw new Error("Some documents in value don't exist or were specified twice.");
  },
};

function checkValue(field: SampleObject, value: unknown, documents: readonly number[]): void {
  CHECKS[field.data_type ?? 'string']?.(value, field, documents);
}

/** Python's `len(value)`, which raises for numbers and booleans. */
function pythonLength(value: unknown): number {
  if (typeof value === 'string') return Array.from(value).length;
  if (typeof value !== 'object' || value === null) throw new ServerError('TypeError');
  return Object.keys(value).length;
}
