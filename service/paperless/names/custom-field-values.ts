import type { DmsObject } from './objects.ts';

/** Longest text of a field of the type `string`, in characters. */
const MAX_TEXT = 128;

/** Beyond what the database of Paperless-ngx holds. */
const LIMIT = 2_147_483_648;

const MONEY = /^(?:[A-Z]{3}-?\d+\.\d{1,2}|\s*[-+]?\d{1,10}(?:\.\d{0,2})?\s*|)$/;

const FLOAT = /^-?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/i;

type Rule = (value: unknown, field: DmsObject) => unknown;

/** The value as it is sent, or undefined where the field cannot have it; and what is expected. */
const RULES: Readonly<Record<string, readonly [Rule, string]>> = {
  string: [
    (value) => (isText(value) && Array.from(value).length <= MAX_TEXT ? value : undefined),
    `text of at most ${MAX_TEXT} characters, in quotes`,
  ],
  longtext: [(value) => (isText(value) ? value : undefined), 'text, in quotes'],
  url: [
    (value) => (isText(value) && (value === '' || isAddress(value)) ? value : undefined),
    'an address such as https://example.org/',
  ],
  date: [
    (value) => (isText(value) && isDate(value) ? value : undefined),
    'a date such as "2026-11-21"',
  ],
  boolean: [(value) => (typeof value === 'boolean' ? value : undefined), 'true or false'],
  integer: [
    (value) =>
      isNumeric(value) && /^-?\d+$/.test(String(value)) && isWithinLimit(value) ? value : undefined,
    'a whole number',
  ],
  float: [
    (value) =>
      isNumeric(value) && FLOAT.test(String(value)) && Number.isFinite(Number(value))
        ? value
        : undefined,
    'a number',
  ],
  monetary: [
    (value) => (isNumeric(value) && MONEY.test(String(value)) ? value : undefined),
    'an amount such as "EUR12.50"',
  ],
  select: [
    (value, { select_options: options = [] }) =>
      options.find(({ id, label }) => value === id || value === label)?.id,
    'one of the choices of the field',
  ],
  documentlink: [
    (value) => (Array.isArray(value) && value.every(Number.isInteger) ? value : undefined),
    'a list of document ids',
  ],
};

export type CheckedValue = { readonly value: unknown } | { readonly expected: string };

/**
 * The value of a custom field as Paperless-ngx takes it: a choice is named by its id there. One that it would refuse, or that
 * makes it fail (a number in a text field is a 500), is answered with what is expected. Types that are unknown take anything.
 */
export function checkFieldValue(field: DmsObject, given: unknown): CheckedValue {
  if (given === null) return { value: null };
  const [rule, expected] = RULES[field.data_type ?? ''] ?? [(value: unknown) => value, ''];
  const value = rule(given, field);
  if (value !== undefined) return { value };
  const labels = field.select_options?.map(({ label }) => label).join(', ');
  return { expected: labels === undefined ? expected : `one of ${labels}` };
}

/** A list of one number reads like that number, and is refused. */
function isNumeric(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number';
}

/** As Paperless-ngx checks it: a scheme, and a host or a path after it. */
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
