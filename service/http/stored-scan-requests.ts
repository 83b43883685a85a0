import Joi from 'joi';
import { DEFAULT_REDELIVERY, type Redelivery } from '../scan/deliver-scan.ts';
import { SCAN_ID } from '../scan/scan-id.ts';
import { checkFields } from './check-fields.ts';

/** Scans on a page of GET /scans. */
const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;

export interface ListRequest {
  readonly limit: number;
  /** Only scans older than this one. */
  readonly before?: string;
}

const listSchema = Joi.object<ListRequest>({
  limit: Joi.number().integer().min(1).max(MAX_LIMIT).default(DEFAULT_LIMIT),
  before: Joi.string().pattern(SCAN_ID, 'scan id'),
}).prefs({ abortEarly: false });

/** Checks the query of GET /scans; throws Failure `invalid_parameter`. */
export function parseListRequest(query: unknown): ListRequest {
  // Koa's query has no prototype, which joi does not take for an object's.
  return checkFields(listSchema, { ...Object(query) }, 'invalid_parameter');
}

interface ResumeBody {
  readonly redeliver_failed: boolean;
  readonly resend_unknown: boolean;
}

const resumeSchema = Joi.object<ResumeBody>({
  redeliver_failed: Joi.boolean().default(DEFAULT_REDELIVERY.redeliverFailed),
  resend_unknown: Joi.boolean().default(DEFAULT_REDELIVERY.resendUnknown),
}).prefs({ abortEarly: false, convert: false });

/** Checks the body of POST /scans/{scan_id}/resume; throws Failure `invalid_body`. */
export function parseResumeRequest(body: unknown): Redelivery {
  const { redeliver_failed, resend_unknown } = checkFields(resumeSchema, body, 'invalid_body');
  return { redeliverFailed: redeliver_failed, resendUnknown: resend_unknown };
}
