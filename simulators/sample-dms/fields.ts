import type { KnownIds } from './options.ts';
import type { ReceivedFile } from './multipart.ts';
import { isAccepted, sniffMediaType } from './media-type.ts';

/** The form once it is found good. */
export interface UploadForm {
  readonly title: string | undefined;
  /** `YYYY-MM-DD`. */
  readonly created: string | undefined;
  readonly correspondent: number | undefined;
  readonly document_type: number | undefined;
  readonly storage_path: number | undefined;
  readonly tags: readonly number[];
  readonly archive_serial_number: number | undefined;
  readonly custom_fields: unknown;
}

type Fields = readonly (readonly [string, string])[];
export type FieldErrors = Record<string, string[]>;

const MAX_SERIAL_NUMBER = 4_294_967_295;

const CREATED_FORMAT =
  'Datetime has wrong format. Use one of these formats instead: ' +
  'YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z].';

/** Reads the fields of a form; `errors` is empty when all are good, else it is the body of the 400. */
export function readFields(
  fields: Fields,
  known: KnownIds,
): { form: UploadForm; errors: FieldErrors } {
  const errors: FieldErrors = {};
  const last = (name: string): string | undefined => fields.findLast(([key]) => key === name)?.[1];
  const check = <Value>(name: string, read: () => Value): Value | undefined => {
    try {
      return read();
    } catch (error) {
      errors[name] = [error instanceof Error ? error.message : 'unknown'];
      return undefined;
    }
  };
  const key = (name: string, ids: readonly number[]): number | undefined =>
    check(name, () => optional(last(name), (text) => primaryKey(text, ids)));
  const form: UploadForm = {
    title: last('title'),
    created: check('created', () => optional(last('created'), readDate)),
    correspondent: key('correspondent', known.correspondents),
    document_type: key('document_type', known.document_types),
    storage_path: key('storage_path', known.storage_paths),
    tags:
      check('tags', () =>
        fields.filter(([name]) => name === 'tags').map(([, text]) => primaryKey(text, known.tags)),
      ) ?? [],
    archive_serial_number: check('archive_serial_number', () =>
      optional(last('archive_serial_number'), readSerialNumber),
    ),
    custom_fields: check('custom_fields', () =>
      optional(last('custom_fields'), (text) => readCustomFields(text, known.custom_fields)),
    ),
  };
  return { form, errors };
}

/** What is wrong with the file part, as the real system words it. */
export async function checkFile(
  file: ReceivedFile | undefined,
  fields: Fields,
): Promise<{ mediaType: string; error: string | undefined }> {
  if (file === undefined) {
    const given = fields.some(([name]) => name === 'document');
    const error = given
      ? 'The submitted data was not a file. Check the encoding type on the form.'
      : 'No file was submitted.';
    return { mediaType: '', error };
  }
  if (file.bytes === 0) return { mediaType: '', error: 'The submitted file is empty.' };
  const mediaType = await sniffMediaType(file.path);
  const accepted = isAccepted(mediaType, file.filename);
  return { mediaType, error: accepted ? undefined : `File type ${mediaType} not supported` };
}

function optional<Value>(
  text: string | undefined,
  read: (text: string) => Value,
): Value | undefined {
  return text === undefined || text === '' ? undefined : read(text);
}

function primaryKey(text: string, ids: readonly number[]): number {
  if (!/^-?\d+$/.test(text)) throw new Error('Incorrect type. Expected pk value, received str.');
  if (!ids.includes(Number(text))) {
    throw new Error(`Invalid pk "${text}" - object does not exist.`);
  }
  return Number(text);
}

function readDate(text: string): string {
  const day = /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?(Z|[-+]\d{2}:\d{2})?)?$/.exec(
    text,
  )?.[1];
  const time = Date.parse(`${day ?? ''}T00:00:00Z`);
  // A day that no calendar has, like 31 February, becomes another one.
  const exists = !Number.isNaN(time) && new Date(time).toISOString().startsWith(day ?? '?');
  if (day === undefined || !exists) throw new Error(CREATED_FORMAT);
  return day;
}

function readSerialNumber(text: string): number {
  if (!/^-?\d+$/.test(text)) throw new Error('A valid integer is required.');
  const value = Number(text);
  if (value < 0) throw new Error('Ensure this value is greater than or equal to 0.');
  if (value > MAX_SERIAL_NUMBER) {
    throw new Error(`Ensure this value is less than or equal to ${MAX_SERIAL_NUMBER}.`);
  }
  return value;
}

function readCustomFields(text: string, ids: readonly number[]): unknown {
  const value = parseJson(text);
  if (Array.isArray(value)) {
    const unique = new Set(value);
    if (unique.size !== value.length || value.some((id) => !ids.includes(Number(id)))) {
      throw new Error("Some custom fields don't exist or were specified twice.");
    }
    return value;
  }
  const unknown = Object.keys(Object(value)).find((id) => !ids.includes(Number(id)));
  if (unknown !== undefined) throw new Error(`Custom field with id ${unknown} does not exist`);
  return value;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error('Value must be valid JSON.', { cause: error });
  }
}
