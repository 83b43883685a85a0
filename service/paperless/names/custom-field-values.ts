import type { DmsObject } from './objects.ts';

/** In characters, for a field of type `string`. */
const MAX_TEXT = 128;

/** One more than the largest integer of Paperless-ngx's database. */
const LIMIT = 2_147_483_648;

const MONEY = /^(?:[A-Z]{3}-?\d+\.\d{1,2}|\s*[-+]?\d{1,10}(?:\.\d{0,2})?\s*|)$/;

const FLOAT = /^-?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/i;

/** The check of a value by field type, and the expected format. */
const RULES: Readonly<Record<string, readonly [(value: unknown) => boolean, string]>> = {
  string: [
    (value) => isText(value) && Array.from(value).length <= MAX_TEXT,
    `text of at most ${MAX_TEXT} characters, in quotes`,
  ],
  longtext: [isText, 'text, in quotes'],
  url: [
    (value) => isText(value) && (value === '' || isAddress(value)),
    'an address such as https://example.org/',
  ],
  date: [(value) => isText(value) && isDate(value), 'a date such as "2026-11-21"'],
  boolean: [(value) => typeof value === 'boolean', 'true or false'],
  integer: [
    (value) => isNumeric(value) && /^-?\d+$/.test(String(value)) && isWithinLimit(value),
    'a whole number',
  ],
  float: [
    (value) => isNumeric(value) && FLOAT.test(String(value)) && Number.isFinite(Number(value)),
    'a number',
  ],
  monetary: [
    (value) => isNumeric(value) && MONEY.test(String(value)),
    'an amount such as "EUR12.50"',
  ],
  documentlink: [
    (value) => Array.isArray(value) && value.every(Number.isInteger),
    'a list of document ids',
  ],
};

export type CheckedValue = { readonly value: unknown } | { readonly expected: string };

/**
 * Returns the value as Paperless-ngx expects it, or the expected format if it would reject the
 * value or fail on it: a number in a text field gets 500. Accepts anything for an unknown type.
 */
export function checkFieldValue(field: DmsObject, given: unknown): CheckedValue {
  if (given === null) return { value: null };
  if (field.data_type === 'select') return choiceOf(field, given);
  const [fits, expected] = RULES[field.data_type ?? ''] ?? [() => true, ''];
  return fits(given) ? { value: given } : { expected };
}

function choiceOf({ select_options: options = [] }: DmsObject, given: unknown): CheckedValue {
  const chosen = options.find(({ id, label }) => given === id || given === label);
  if (chosen) return { value: chosen.id };
  const labels = options.map(({ label }) => label).join(', ');
  return { expected: labels === '' ? 'one of the choices of the field' : `one of ${labels}` };
}

/** Excludes lists: JavaScript converts a list of one number, but Paperless-ngx rejects it. */
function isNumeric(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number';
}

/** Checks for a scheme and a host or path, like Paperless-ngx. */
function isAddress(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && (url.host !== '' || url.pathname !== '');
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isWithinLimit(value: unknown): boolean {
  return Math.abs(Number(value)) < LIMIT;
}

function isDate(text: string): boolean {
  const [, year, month, day] = /^(\d{4})-?(\d{1,2})-?(\d{1,2})$/.exec(text) ?? [];
  const written = `${year}-${month?.padStart(2, '0')}-${day?.padStart(2, '0')}`;
  const date = new Date(`${written}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(written);
}
