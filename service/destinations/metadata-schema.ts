import Joi from 'joi';
import type { DocumentMetadata } from './destination.ts';

const id = Joi.number().integer().min(1).max(2_147_483_647);

/** Rules for what may be said of a document, by field; whoever uses them decides about unknown fields. */
export const METADATA_RULES: Readonly<Record<keyof DocumentMetadata, Joi.Schema>> = {
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
};

function calendarDate(value: string): string {
  const isDate = /^\d{4}-\d{2}-\d{2}$/.test(value);
  const date = new Date(`${value}T00:00:00Z`);
  if (!isDate || Number.isNaN(date.getTime()) || date.toISOString().slice(0, 10) !== value) {
    throw new Error('must be a date such as 2026-11-21');
  }
  return value;
}
