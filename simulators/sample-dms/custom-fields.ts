import { parseJson } from '../../helpers/read-json.ts';
import type { SampleObject } from './objects.ts';

/** What a value must look like, and the real system's words for one that does not. It takes some more spellings than these. */
const FORMS: Readonly<Record<string, readonly [RegExp, string]>> = {
  string: [/^.{0,128}$/su, 'Ensure this value has at most 128 characters.'],
  url: [/^(?:[a-z][a-z0-9+.-]*:(?!$|\/\/$).*|)$/is, 'Unable to parse URI'],
  integer: [/^-?\d{1,9}$/, 'Enter a valid integer.'],
  monetary: [
    /^(?:[A-Z]{3}-?\d+\.\d{1,2}|-?\d{1,10}(?:\.\d{0,2})?|)$/,
    'Must be a two-decimal number with optional currency code e.g. GBP123.45',
  ],
  date: [
    /^\d{4}-\d{2}-\d{2}$/,
    'Date has wrong format. Use one of these formats instead: YYYY-MM-DD.',
  ],
};

/**
 * Reads the JSON text of the form field `custom_fields`: values by id. Throws an Error with the message of the 400, and a TypeError
 * for a value on which the real system's code fails. `documents` are the ids that a document link may contain.
 */
export function readCustomFields(
  text: string,
  fields: readonly SampleObject[],
  documents: readonly number[],
): Readonly<Record<string, unknown>> {
  const values = parseJson(text);
  if (values === undefined) throw new Error('Value must be valid JSON.');
  // A list of ids is taken by the real system, too; a scan service has values.
  if (typeof values !== 'object' || values === null || Array.isArray(values)) {
    throw new Error('Custom fields must be a list of integers or an object mapping ids to values.');
  }
  for (const [key, value] of Object.entries(values)) {
    if (!/^\d+$/.test(key)) throw new Error(`Custom field id must be an integer: ${key}`);
    const field = fields.find(({ id }) => id === Number(key));
    if (!field) throw new Error(`Custom field with id ${key} does not exist`);
    if (value !== null) checkValue(value, field, documents);
  }
  return { ...values };
}

/** Other types than these take any value. */
function checkValue(
  value: unknown,
  { data_type = 'string', select_options = [] }: SampleObject,
  documents: readonly number[],
): void {
  if (data_type === 'select' && !select_options.some(({ id }) => id === value)) {
    const shown = select_options.map(({ id, label }) => `{'id': '${id}', 'label': '${label}'}`);
    throw new Error(`Value must be an id of an element in [${shown.join(', ')}]`);
  }
  if (data_type === 'documentlink') {
    if (!Array.isArray(value)) throw new Error('Value must be a list');
    if (value.every((id) => documents.includes(Number(id)))) return;
    throw new Error("Some documents in value don't exist or were specified twice.");
  }
  const form = FORMS[data_type];
  if (form === undefined) return;
  if (['string', 'url'].includes(data_type) && typeof value !== 'string') {
    throw new TypeError('object has no len()');
  }
  const isOfForm = ['string', 'number'].includes(typeof value) && form[0].test(String(value));
  if (!isOfForm || (data_type === 'date' && !isDay(String(value)))) throw new Error(form[1]);
}

/** Whether there is such a day, written `YYYY-MM-DD`. */
export function isDay(text: string): boolean {
  const noon = new Date(`${text}T12:00:00Z`);
  // 31 February becomes a day of March.
  return !Number.isNaN(noon.getTime()) && noon.toISOString().startsWith(`${text}T`);
}
