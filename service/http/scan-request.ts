import Joi from 'joi';
import type { DocumentMetadata } from '../paperless/destination.ts';
import { METADATA_RULES } from '../paperless/metadata-schema.ts';
import { checkFields } from './check-fields.ts';

/**
 * What a caller may ask of POST /scan: a scan, or the rest of a stack, which keeps the profile and the metadata that it began
 * with. It can never name a destination, a path or a timeout.
 */
export type ScanRequestBody =
  | { readonly profile?: string; readonly metadata: DocumentMetadata; readonly hold?: true }
  | { readonly continue_scan: string; readonly hold?: boolean; readonly side?: 'backs' };

/** The profile that is used when a request names none. */
export const DEFAULT_PROFILE = 'default';

interface RequestFields extends DocumentMetadata {
  readonly profile?: string;
  readonly continue_scan?: string;
  readonly hold?: boolean;
  readonly side?: 'backs';
}

const schema = Joi.object<RequestFields>({
  // A name or an id that nothing can have is answered like any other unknown one: 404.
  profile: Joi.string().max(200).messages({ '*': '{{#label}} must be the name of a profile' }),
  continue_scan: Joi.string().max(200).messages({ '*': '{{#label}} must be the id of a scan' }),
  hold: Joi.boolean().messages({ '*': '{{#label}} must be true or false' }),
  side: Joi.valid('backs').messages({ '*': '{{#label}} must be "backs"' }),
  ...METADATA_RULES,
})
  .with('side', 'continue_scan')
  .without('continue_scan', ['profile', ...Object.keys(METADATA_RULES)])
  .messages({
    'object.without':
      '"{{#peer}}" cannot be given with "continue_scan": the scan keeps what it began with',
    'object.with': '"side" can only be given with "continue_scan"',
  })
  .prefs({ abortEarly: false, convert: false });

/** Checks a request body; throws Failure `invalid_body` that names every wrong field and what was expected of it. */
export function parseScanRequest(body: unknown): ScanRequestBody {
  const fields = checkFields(schema, body, 'invalid_body');
  const { profile, continue_scan, hold, side, ...metadata } = fields;
  if (continue_scan !== undefined) {
    return { continue_scan, ...(hold !== undefined && { hold }), ...(side && { side }) };
  }
  // What says nothing is left out: a request is the same as one without it.
  const held = hold === true ? { hold } : {};
  return { ...(profile !== undefined && { profile }), ...held, metadata };
}
