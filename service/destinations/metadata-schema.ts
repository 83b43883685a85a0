import Joi from 'joi';
import type { DocumentMetadata } from './destination.ts';

const id = Joi.number().integer().min(1).max(2_147_483_647);

/**
 * The values that custom fields have in Paperless-ngx: text, numbers, yes or no, nothing, and lists of document ids. What is
 * nested deeper is no value, and a deep one could neither be hashed nor written down.
 */
const scalar = Joi.alternatives(
  Joi.string().allow(''),
  Joi.number().unsafe(),
  Joi.boolean(),
  Joi.valid(null),
);
const customFieldValue = Joi.alternatives(scalar, Joi.array().items(scalar)).messages({
  'alternatives.match':
    '{{#label}} must be a text, a number, true, false, null, or a list of these',
  'alternatives.types':
    '{{#label}} must be a text, a number, true, false, null, or a list of these',
});

/** Rules for what may be said of a document, by field; whoever uses them decides about unknown fields. */
export const METADATA_RULES: Readonly<Record<keyof DocumentMetadata, Joi.Schema>> = {
  title: Joi.string().trim().max(127),
  created: Joi.string().custom(calendarDate, 'calendar date'),
  // Ends at the first wrong one: comparing what is no id with each other costs without bound.
  tags: Joi.array().items(id).max(100).unique().prefs({ abortEarly: true }),
  correspondent: id,
  document_type: id,
  storage_path: id,
  // The range of Paperless-ngx.
  archive_serial_number: Joi.number().integer().min(0).max(4_294_967_295),
  custom_fields: Joi.object()
    .pattern(/^[1-9]\d{0,9}$/, customFieldValue)
    .max(100),
};

function calendarDate(value: string): string {
  const isDate = /^\d{4}-\d{2}-\d{2}$/.test(value);
  const date = new Date(`${value}T00:00:00Z`);
  if (!isDate || Number.isNaN(date.getTime()) || date.toISOString().slice(0, 10) !== value) {
    throw new Error('must be a date such as 2026-11-21');
  }
  return value;
}
