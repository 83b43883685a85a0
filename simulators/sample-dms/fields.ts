import { readCustomFields, ServerError } from './custom-fields.ts';
import type { ReceivedFile } from './multipart.ts';
import { isAccepted, sniffMediaType } from './media-type.ts';
import type { SampleObject, SampleObjects } from './objects.ts';
import type { Release } from './options.ts';
import { pythonInteger, readDateTime } from './python-values.ts';

/** A valid form. */
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

/** The data that a form is validated against. */
export interface FormRules {
  readonly release: Release;
  readonly objects: SampleObjects;
  /** Ids of the existing documents. */
  readonly documents: readonly number[];
}

type Fields = readonly (readonly [string, string])[];
export type FieldErrors = Record<string, string[]>;

const MAX_SERIAL_NUMBER = 4_294_967_295;

const CREATED_ERRORS = {
  malformed:
    'Datetime has wrong format. Use one of these formats instead: ' +
    'YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z].',
  out_of_range: 'Datetime value out of range.',
};

/**
 * Reads the fields of a form. `errors` is empty if all are valid, and otherwise the body of the 400; `fileProblem` is what is wrong
 * with the file.
 */
export function readFields(
  fields: Fields,
  { release, objects, documents }: FormRules,
  fileProblem?: string,
): { form: UploadForm; errors: FieldErrors } {
  const errors: FieldErrors = {};
  const all = (name: string): string[] =>
    fields.filter(([key]) => key === name).map(([, text]) => text);
  const check = <Value>(name: string, read: () => Value): Value | undefined => {
    try {
      return read();
    } catch (error) {
      if (error instanceof ServerError) throw error;
      errors[name] = [error instanceof Error ? error.message : 'unknown'];
      return undefined;
    }
  };
  /** The last value of a field; an empty one counts as missing. */
  const one = <Value>(name: string, read: (text: string) => Value): Value | undefined =>
    check(name, () => {
      const text = all(name).at(-1) ?? '';
      return text === '' ? undefined : read(text);
    });
  const keys = (name: string, known: readonly SampleObject[]): number[] | undefined =>
    check(name, () => all(name).map((text) => primaryKey(text, known)));
  // In the order of the real system, which shows in the body of the 400.
  const created = one('created', readDate);
  if (fileProblem !== undefined) errors['document'] = [fileProblem];
  const form: UploadForm = {
    title: one('title', readTitle),
    created,
    correspondent: one('correspondent', (text) => primaryKey(text, objects.correspondents)),
    document_type: one('document_type', (text) => primaryKey(text, objects.document_types)),
    storage_path: one('storage_path', (text) => primaryKey(text, objects.storage_paths)),
    tags: keys('tags', objects.tags) ?? [],
    archive_serial_number: one('archive_serial_number', readSerialNumber),
    custom_fields:
      release.custom_fields === 'ids'
        ? keys('custom_fields', objects.custom_fields)
        : check('custom_fields', () => {
            const text = all('custom_fields').at(-1);
            return text === undefined
              ? undefined
              : readCustomFields(text, objects.custom_fields, documents);
          }),
  };
  one('from_webui', readBoolean);
  return { form, errors };
}

/** The problem of the file part, in the real system's words. */
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

function readTitle(text: string): string {
  const title = text.trim();
  if (title === '') throw new Error('This field may not be blank.');
  if (title.includes('\0')) throw new Error('Null characters are not allowed.');
  return title;
}

function primaryKey(text: string, known: readonly SampleObject[]): number {
  const id = pythonInteger(text);
  if (id === undefined) throw new Error('Incorrect type. Expected pk value, received str.');
  if (known.some((object) => object.id === id)) return id;
  throw new Error(`Invalid pk "${text}" - object does not exist.`);
}

function readDate(text: string): string {
  const read = readDateTime(text);
  if (read.kind === 'day') return read.day;
  throw new Error(CREATED_ERRORS[read.kind]);
}

function readSerialNumber(text: string): number {
  const value = pythonInteger(text.replace(/\.0*\s*$/, ''));
  if (value === undefined) throw new Error('A valid integer is required.');
  if (value < 0) throw new Error('Ensure this value is greater than or equal to 0.');
  if (value > MAX_SERIAL_NUMBER) {
    throw new Error(`Ensure this value is less than or equal to ${MAX_SERIAL_NUMBER}.`);
  }
  return value;
}

function readBoolean(text: string): void {
  if (/^(t|y|yes|true|on|1|f|n|no|false|off|0)$/i.test(text)) return;
  throw new Error('Must be a valid boolean.');
}
