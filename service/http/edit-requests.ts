import Joi from 'joi';
import type { PageEdit } from '../archive/scan-event.ts';
import { checkFields } from './check-fields.ts';

const choice = Joi.boolean().messages({ '*': '{{#label}} must be true or false' });

const editSchema = Joi.object<PageEdit>({
  left_out: choice,
  turn: Joi.valid(0, 90, 180, 270).messages({ '*': '{{#label}} must be 0, 90, 180 or 270' }),
  before: Joi.number()
    .integer()
    .min(1)
    .allow(null)
    .messages({ '*': '{{#label}} must be the number of a page, or null for the end' }),
  starts_document: choice,
})
  .min(1)
  .messages({
    'object.min': 'The body must have "left_out", "turn", "before" or "starts_document"',
  })
  .prefs({ abortEarly: false, convert: false });

const discardSchema = Joi.object<{ readonly discarded: boolean }>({
  discarded: choice.default(true),
}).prefs({ abortEarly: false, convert: false });

/** Checks the body of PATCH /scans/{scan_id}/pages/{page}; throws Failure `invalid_body`. */
export function parsePageEdit(body: unknown): PageEdit {
  return checkFields(editSchema, body, 'invalid_body');
}

/** Checks the body of POST /scans/{scan_id}/discard; throws Failure `invalid_body`. */
export function parseDiscardRequest(body: unknown): boolean {
  return checkFields(discardSchema, body, 'invalid_body').discarded;
}
