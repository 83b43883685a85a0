import Joi from 'joi';
import { Failure } from '../../helpers/failure.ts';
import type { DocumentMetadata } from '../destinations/destination.ts';

/** What a caller may ask of POST /scan. It can never name a destination, a path or a timeout. */
export interface ScanRequestBody {
  readonly profile?: string;
  readonly metadata: DocumentMetadata;
}

/** The profile that is used when a request names none. */
export const DEFAULT_PROFILE = 'default';

const id = Joi.number().integer().min(1).max(2_147_483_647);

interface Body extends DocumentMetadata {
  readonly profile?: string;
}

const schema = Joi.object<Body>({
  // A name that no profile can have is answered like any other that is not there: 404.
  profile: Joi.string().max(200),
  title: Joi.string().trim().max(127),
  created: Joi.string().custom(calendarDate, 'calendar date'),
  tags: Joi.array().items(id).max(100).unique(),
  correspondent: id,
  document_type: id,
  storage_path: id,
  // The range of Paperless-ngx.
  archive_serial_number: Joi.number().integer().min(0).max(4_294_967_295),
  custom_fields: Joi.object()
    .pattern(/^[1-9]\d{0,9}$/, Joi.any())
    .max(100),
}).prefs({ abortEarly: false, convert: false });

/** Checks a request body; throws Failure `invalid_body` that names every wrong field and what was expected of it. */
export function parseScanRequest(body: unknown): ScanRequestBody {
  const { value, error } = schema.validate(body, { errors: { label: 'path' } });
  if (error) {
    const fields = error.details.map((detail) => ({
      field: detail.path.join('.') || '(body)',
      expected: detail.message,
    }));
    throw new Failure(
      'invalid_body',
      `the request is not valid: ${fields.map((field) => field.expected).join('; ')}`,
      { facts: { fields } },
    );
  }
  const { profile, ...metadata } = value;
  return { ...(profile !== undefined && { profile }), metadata };
}

function calendarDate(value: string): string {
  const isDate = /^\d{4}-\d{2}-\d{2}$/.test(value);
  const date = new Date(`${value}T00:00:00Z`);
  if (!isDate || Number.isNaN(date.getTime()) || date.toISOString().slice(0, 10) !== value) {
    throw new Error('must be a date such as 2026-11-21');
  }
  return value;
}
