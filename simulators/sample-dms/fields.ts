import { parseJson } from '../../helpers/read-json.ts';
import type { ReceivedForm } from './bodies.ts';
import type { SampleObject, SampleObjects } from './objects.ts';

export interface UploadForm {
  readonly title?: string;
  /** `YYYY-MM-DD`. */
  readonly created?: string;
  readonly correspondent?: number;
  readonly document_type?: number;
  readonly storage_path?: number;
  readonly tags: readonly number[];
  readonly archive_serial_number?: number;
  /** Values by field id. */
  readonly custom_fields?: Readonly<Record<string, unknown>>;
}

const MAX_SERIAL_NUMBER = 4_294_967_295;

/**
 * Valid values by type of custom field, stricter than the real system. Other types accept anything.
 */
const FORMS: Readonly<Record<string, RegExp>> = {
  string: /^.{0,128}$/su,
  url: /^(?:[a-z][a-z0-9+.-]*:(?!$|\/\/$).*|)$/is,
  integer: /^-?\d{1,9}$/,
  monetary: /^(?:[A-Z]{3}-?\d+\.\d{1,2}|-?\d{1,10}(?:\.\d{0,2})?|)$/,
  date: /^\d{4}-\d\d-\d\d$/,
};

/**
 * Validates the fields in the order of the real system, which determines the body of a 400.
 * `errors` is empty if all are valid; `documents` are the ids of existing documents. Accepts
 * numbers and dates only as the scan service writes them, which is stricter than Python. Throws a
 * TypeError where the real system crashes.
 */
export function readFields(
  fields: ReceivedForm['fields'],
  objects: SampleObjects,
  documents: readonly number[],
): { form: UploadForm; errors: Record<string, string[]> } {
  const idOf =
    (known: readonly SampleObject[]) =>
    (text: string): number =>
      primaryKey(text, known);
  const readers: Readonly<Record<keyof UploadForm, (text: string) => unknown>> = {
    created: readDate,
    title: readTitle,
    correspondent: idOf(objects.correspondents),
    document_type: idOf(objects.document_types),
    storage_path: idOf(objects.storage_paths),
    tags: idOf(objects.tags),
    archive_serial_number: readSerialNumber,
    custom_fields: (text) => readCustomFields(text, objects.custom_fields, documents),
  };
  const form: Record<string, unknown> = {};
  const errors: Record<string, string[]> = {};
  for (const [name, read] of Object.entries(readers)) {
    const given = fields.filter(([key]) => key === name).map(([, text]) => text);
    try {
      if (name === 'tags') form[name] = given.map(read);
      // An empty field counts as missing.
      else if (given[0]) form[name] = read(given[0]);
    } catch (error) {
      if (error instanceof TypeError) throw error;
      errors[name] = [error instanceof Error ? error.message : 'unknown'];
    }
  }
  return { form: form as unknown as UploadForm, errors };
}

function readTitle(text: string): string {
  if (text.includes('\0')) throw new Error('Null characters are not allowed.');
  if (text.trim() === '') throw new Error('This field may not be blank.');
  return text.trim();
}

function primaryKey(text: string, known: readonly SampleObject[]): number {
  if (!/^\d+$/.test(text)) throw new Error('Incorrect type. Expected pk value, received str.');
  if (known.some(({ id }) => id === Number(text))) return Number(text);
  throw new Error(`Invalid pk "${text}" - object does not exist.`);
}

function readDate(text: string): string {
  if (isDay(text)) return text;
  throw new Error(
    'Datetime has wrong format. Use one of these formats instead: YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z].',
  );
}

function readSerialNumber(text: string): number {
  const value = /^-?\d+$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isNaN(value)) throw new Error('A valid integer is required.');
  if (value < 0) throw new Error('Ensure this value is greater than or equal to 0.');
  if (value <= MAX_SERIAL_NUMBER) return value;
  throw new Error(`Ensure this value is less than or equal to ${MAX_SERIAL_NUMBER}.`);
}

function readCustomFields(
  text: string,
  fields: readonly SampleObject[],
  documents: readonly number[],
): Readonly<Record<string, unknown>> {
  const values = parseJson(text);
  // The real system also accepts a list of ids, which the scan service does not send.
  if (typeof values !== 'object' || values === null || Array.isArray(values)) {
    throw new Error('Value must be valid JSON.');
  }
  for (const [key, value] of Object.entries(values)) {
    const field = fields.find(({ id }) => String(id) === key);
    if (!field) throw new Error(`Custom field with id ${key} does not exist`);
    // The real system has a specific message per type.
    if (value !== null && !fits(value, field, documents)) throw new Error('Not a valid value.');
  }
  return { ...values };
}

function fits(
  value: unknown,
  { data_type = 'string', select_options = [] }: SampleObject,
  documents: readonly number[],
): boolean {
  if (data_type === 'select') return select_options.some(({ id }) => id === value);
  if (data_type === 'documentlink') {
    return Array.isArray(value) && value.every((id) => documents.includes(Number(id)));
  }
  const form = FORMS[data_type];
  if (form === undefined) return true;
  const isText = typeof value === 'string';
  if (!isText && ['string', 'url'].includes(data_type)) throw new TypeError('object has no len()');
  if (!isText && typeof value !== 'number') return false;
  return form.test(String(value)) && (data_type !== 'date' || isDay(String(value)));
}

function isDay(text: string): boolean {
  const noon = new Date(`${text}T12:00:00Z`);
  // Date would turn 31 February into a day in March.
  return !Number.isNaN(noon.getTime()) && noon.toISOString().startsWith(`${text}T`);
}
