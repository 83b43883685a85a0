import Joi from 'joi';
import type { DocumentMetadata } from '../destinations/destination.ts';
import { METADATA_RULES } from '../destinations/metadata-schema.ts';
import { checkFields } from './check-fields.ts';

/**
 * What a caller may ask of POST /scan: a scan, or the rest of a stack, which keeps the profile and the metadata that it began
 * with. It can never name a destination, a path or a timeout.
 */
export type ScanRequestBody =
  | { readonly profile?: string; readonly metadata: DocumentMetadata }
  | { readonly continue_scan: string };

/** The profile that is used when a request names none. */
export const DEFAULT_PROFILE = 'default';

const schema = Joi.object<DocumentMetadata & { profile?: string; continue_scan?: string }>({
  // A name or an id that nothing can have is answered like any other unknown one: 404.
  profile: Joi.string().max(200).messages({ '*': '{{#label}} must be the name of a profile' }),
  continue_scan: Joi.string().max(200).messages({ '*': '{{#label}} must be the id of a scan' }),
  ...METADATA_RULES,
})
  .without('continue_scan', ['profile', ...Object.keys(METADATA_RULES)])
  .messages({
    'object.without':
      '"{{#peer}}" cannot be given with "continue_scan": the scan keeps what it began with',
  })
  .prefs({ abortEarly: false, convert: false });

/** Checks a request body; throws Failure `invalid_body` that names every wrong field and what was expected of it. */
export function parseScanRequest(body: unknown): ScanRequestBody {
  const { profile, continue_scan, ...metadata } = checkFields(schema, body, 'invalid_body');
  if (continue_scan !== undefined) return { continue_scan };
  return { ...(profile !== undefined && { profile }), metadata };
}
