import Joi from 'joi';
import type { DocumentMetadata } from '../paperless/destination.ts';
import { METADATA_RULES } from '../paperless/metadata-schema.ts';
import { DEFAULT_REDELIVERY, type Redelivery } from '../scan/stages/deliver.ts';
import { DOCUMENT_NAME } from '../archive/file-names.ts';
import { SCAN_ID } from '../archive/scan-id.ts';
import { checkFields } from './check-fields.ts';

/** Scans on a page of GET /scans. */
const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;
/** Titles have 127. */
const MAX_SEARCH = 127;

export interface ListRequest {
  readonly limit: number;
  /** Only scans older than this one. */
  readonly before?: string;
  /** Leaves out scans that fed nothing. */
  readonly fed?: boolean;
  /** Only scans whose title or profile has this in it, whatever the case. */
  readonly search?: string;
}

const listSchema = Joi.object<ListRequest>({
  limit: Joi.number()
    .integer()
    .min(1)
    .max(MAX_LIMIT)
    .default(DEFAULT_LIMIT)
    .messages({ '*': `{{#label}} must be a whole number from 1 to ${MAX_LIMIT}` }),
  fed: Joi.boolean().messages({ '*': '{{#label}} must be true or false' }),
  search: Joi.string()
    .max(MAX_SEARCH)
    .messages({ '*': `{{#label}} must be text of 1 to ${MAX_SEARCH} characters` }),
  before: Joi.string().pattern(SCAN_ID).messages({ '*': '{{#label}} must be the id of a scan' }),
}).prefs({ abortEarly: false });

/** Checks the query of GET /scans; throws Failure `invalid_parameter`. */
export function parseListRequest(query: unknown): ListRequest {
  // Koa's query has no prototype, which joi does not take for an object's.
  return checkFields(listSchema, { ...Object(query) }, 'invalid_parameter');
}

/** A POST /scans/{scan_id}/resume, checked; the profile is not looked up yet. */
export interface ResumeRequest {
  readonly redelivery: Redelivery;
  readonly profile: string | undefined;
  readonly keepBlankPages: boolean;
  readonly metadata: DocumentMetadata;
}

interface ResumeBody extends DocumentMetadata {
  readonly redeliver_failed: boolean;
  readonly resend_unknown: boolean;
  readonly resend_submitted: readonly string[];
  readonly add_destinations: boolean;
  readonly keep_blank_pages: boolean;
  readonly profile?: string;
}

/** A document has a page at least. */
const MAX_DOCUMENTS = 1000;

const choice = Joi.boolean().messages({ '*': '{{#label}} must be true or false' });

const resumeSchema = Joi.object<ResumeBody>({
  redeliver_failed: choice.default(DEFAULT_REDELIVERY.redeliverFailed),
  resend_unknown: choice.default(DEFAULT_REDELIVERY.resendUnknown),
  resend_submitted: Joi.array()
    .items(Joi.string().pattern(DOCUMENT_NAME))
    .max(MAX_DOCUMENTS)
    .unique()
    .default(DEFAULT_REDELIVERY.resendSubmitted)
    .messages({
      '*': '{{#label}} must be a list of file names of documents such as ["document-0001.pdf"]',
    }),
  add_destinations: choice.default(DEFAULT_REDELIVERY.addDestinations),
  keep_blank_pages: choice.default(false),
  profile: Joi.string().max(200).messages({ '*': '{{#label}} must be the name of a profile' }),
  ...METADATA_RULES,
}).prefs({ abortEarly: false, convert: false });

const stopSchema = Joi.object<Record<string, never>>({}).prefs({
  abortEarly: false,
  convert: false,
});

/** Checks the body of POST /scans/{scan_id}/stop, an empty object; throws Failure `invalid_body`. */
export function parseStopRequest(body: unknown): void {
  checkFields(stopSchema, body, 'invalid_body');
}

/** Checks the body of POST /scans/{scan_id}/resume; throws Failure `invalid_body`. */
export function parseResumeRequest(body: unknown): ResumeRequest {
  const {
    redeliver_failed: redeliverFailed,
    resend_unknown: resendUnknown,
    resend_submitted: resendSubmitted,
    add_destinations: addDestinations,
    keep_blank_pages: keepBlankPages,
    profile,
    ...metadata
  } = checkFields(resumeSchema, body, 'invalid_body');
  const redelivery = { redeliverFailed, resendUnknown, resendSubmitted, addDestinations };
  return { redelivery, profile, keepBlankPages, metadata };
}
