import Joi from 'joi';
import { cropRule } from '../../helpers/page-crop.ts';
import { expecting, flag, oneOf, wholeNumber } from '../../helpers/rules.ts';
import { Failure } from '../../helpers/failure.ts';
import { DOCUMENT_NAME } from '../archive/file-names.ts';
import type { PageEdit } from '../archive/scan-event.ts';
import { SCAN_ID } from '../archive/scan-id.ts';
import type { DocumentMetadata } from '../paperless/destination.ts';
import { METADATA_RULES } from '../paperless/metadata-schema.ts';
import { DEFAULT_REDELIVERY, type Redelivery } from '../archive/upload-decision.ts';
import { DEFAULT_PROFILE } from '../profiles/schema.ts';
import { savedProfileSchema } from '../profiles/saved/saved-profile.ts';
import {
  pageSettingsSchema,
  scanSettingsSchema,
  type PageSettings,
  type ScanSettings,
} from '../profiles/scan-settings.ts';

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;
/** Titles have at most this many characters. */
const MAX_SEARCH = 127;
/** A scan of 1000 pages has at most as many documents. */
const MAX_DOCUMENTS = 1000;

// Names and ids that cannot exist get 404 like unknown ones, so this checks only their length.
const profile = Joi.string().max(200).messages(expecting('the name of a profile'));
const scanId = expecting('the id of a scan');
const token = Joi.string().required().max(4096).messages(expecting('the token of this service'));

/** Does not convert types, because JSON has types. */
export function check<Fields>(schema: Joi.ObjectSchema<Fields>): (body: unknown) => Fields {
  const strict = schema.prefs({ abortEarly: false, convert: false });
  return (body) => checkFields(strict, body, 'invalid_body');
}

function checkQuery<Fields>(schema: Joi.ObjectSchema<Fields>): (query: unknown) => Fields {
  const all = schema.prefs({ abortEarly: false });
  // Copies Koa's query, because joi rejects objects without a prototype.
  return (query) => checkFields(all, { ...Object(query) }, 'invalid_parameter');
}

/** Starts a scan or adds paper to one. Cannot set a destination, path, device or timeout. */
export type ScanRequestBody =
  | {
      readonly profile?: string;
      readonly settings?: ScanSettings;
      readonly metadata: DocumentMetadata;
      readonly hold?: boolean;
    }
  | { readonly continue_scan: string; readonly hold?: boolean; readonly side?: 'backs' }
  | {
      readonly continue_scan: string;
      readonly replaces: number;
      readonly settings?: PageSettings;
    };

interface ScanFields extends DocumentMetadata {
  readonly profile?: string;
  readonly settings?: ScanSettings;
  readonly continue_scan?: string;
  readonly hold?: boolean;
  readonly side?: 'backs';
  readonly replaces?: number;
}

const KEPT = 'cannot be given with "continue_scan": the scan keeps what it began with';

const kept = Joi.forbidden().messages({ 'any.unknown': `{{#label}} ${KEPT}` });
const notAgain = Joi.forbidden().messages({
  'any.unknown': '{{#label}} cannot be given with "replaces"',
});
const staysHeld = Joi.valid(true).messages(expecting('true with "replaces": the scan stays held'));
const againSettings = pageSettingsSchema.messages({
  'object.unknown': '{{#label}} cannot be chosen for one page: only source and resolution can',
});

function ifGiven(field: string, schema: Joi.Schema, otherwise: Joi.Schema): Joi.Schema {
  // oxlint-disable-next-line unicorn/no-thenable -- joi's name
  return Joi.when(field, { is: Joi.exist(), then: schema, otherwise });
}

const checkScan = check(
  Joi.object<ScanFields>({
    profile,
    settings: ifGiven(
      'replaces',
      againSettings,
      ifGiven('continue_scan', kept, scanSettingsSchema),
    ),
    continue_scan: Joi.string().max(200).messages(scanId),
    hold: ifGiven('replaces', staysHeld, flag),
    side: ifGiven('replaces', notAgain, Joi.valid('backs').messages(expecting('"backs"'))),
    replaces: Joi.number().integer().min(1).messages(expecting('the number of a page')),
    ...METADATA_RULES,
  })
    .with('side', 'continue_scan')
    .with('replaces', 'continue_scan')
    .without('continue_scan', ['profile', ...Object.keys(METADATA_RULES)])
    .messages({
      'object.without': `"{{#peer}}" ${KEPT}`,
      'object.with': '"{{#main}}" can only be given with "continue_scan"',
    }),
);

export function parseScanRequest(body: unknown): ScanRequestBody {
  const { profile: name, settings, ...others } = checkScan(body);
  const { continue_scan, hold, side, replaces, ...metadata } = others;
  // Leaves out empty settings, so that a repeated request counts as the same.
  const chosen = settings && Object.keys(settings).length > 0 ? { settings } : {};
  if (continue_scan !== undefined && replaces !== undefined) {
    return { continue_scan, replaces, ...chosen };
  }
  if (continue_scan !== undefined) {
    return { continue_scan, ...(hold !== undefined && { hold }), ...(side && { side }) };
  }
  const held = hold === undefined ? {} : { hold };
  return { ...(name !== undefined && { profile: name }), ...chosen, ...held, metadata };
}

export interface ListRequest {
  readonly limit: number;
  readonly before?: string;
  /** Leaves out scans that fed no paper. */
  readonly fed?: boolean;
  /** Lists only scans whose title, profile or id contains this text, ignoring case. */
  readonly search?: string;
}

export const parseListRequest = checkQuery(
  Joi.object<ListRequest>({
    limit: wholeNumber(1, MAX_LIMIT).default(DEFAULT_LIMIT),
    fed: flag,
    search: Joi.string()
      .max(MAX_SEARCH)
      .messages(expecting(`text of 1 to ${MAX_SEARCH} characters`)),
    before: Joi.string().pattern(SCAN_ID).messages(scanId),
  }),
);

/** The body of POST /scans/{scan_id}/resume. Whether `profile` exists is not checked here. */
export interface ResumeRequest {
  readonly redelivery: Redelivery;
  readonly profile: string | undefined;
  readonly keep_blank_pages: boolean;
  readonly metadata: DocumentMetadata;
}

interface ResumeFields extends DocumentMetadata, Redelivery {
  readonly keep_blank_pages: boolean;
  readonly profile?: string;
}

const checkResume = check(
  Joi.object<ResumeFields>({
    redeliver_failed: flag.default(DEFAULT_REDELIVERY.redeliver_failed),
    resend_unknown: flag.default(DEFAULT_REDELIVERY.resend_unknown),
    resend_submitted: Joi.array()
      .items(Joi.string().pattern(DOCUMENT_NAME))
      .max(MAX_DOCUMENTS)
      .unique()
      .default(DEFAULT_REDELIVERY.resend_submitted)
      .messages(expecting('a list of file names of documents such as ["document-0001.pdf"]')),
    add_destinations: flag.default(DEFAULT_REDELIVERY.add_destinations),
    keep_blank_pages: flag.default(false),
    profile,
    ...METADATA_RULES,
  }),
);

export function parseResumeRequest(body: unknown): ResumeRequest {
  const { profile: name, keep_blank_pages, ...rest } = checkResume(body);
  const { redeliver_failed, resend_unknown, resend_submitted, add_destinations, ...metadata } =
    rest;
  const redelivery = { redeliver_failed, resend_unknown, resend_submitted, add_destinations };
  return { redelivery, profile: name, keep_blank_pages, metadata };
}

export const parseStopRequest = check(Joi.object<Record<string, never>>({}));

export const parsePageEdit = check(
  Joi.object<PageEdit>({
    left_out: flag,
    turn: oneOf(0, 90, 180, 270),
    before: Joi.number()
      .integer()
      .min(1)
      .allow(null)
      .messages(expecting('the number of a page, or null for the end')),
    starts_document: flag,
    crop: cropRule.allow(null),
  })
    .min(1)
    .messages({
      'object.min': 'The body must have "left_out", "turn", "before", "starts_document" or "crop"',
    }),
);

const checkRestore = check(
  Joi.object<Record<string, true>>({
    restored: Joi.valid(true).messages(expecting('true')),
  }).messages({ 'object.unknown': '{{#label}} cannot be given with "restored"' }),
);

/** True if the request puts back a page that was scanned again. */
export function asksToRestore(body: unknown): boolean {
  if (!Object.hasOwn(Object(body), 'restored')) return false;
  checkRestore(body);
  return true;
}

export const parseDiscardRequest = check(
  Joi.object<{ readonly discarded: boolean }>({ discarded: flag.default(true) }),
);

export const parseSessionRequest = check(Joi.object<{ readonly token: string }>({ token }));

export const parseSavedProfile = check(savedProfileSchema);

export const parseRefresh = checkQuery(
  Joi.object<{ readonly refresh: boolean }>({
    refresh: flag.default(false),
  }),
);

export const parsePreviewQuery = checkQuery(
  Joi.object<{ readonly size: 'small' | 'large' }>({
    size: oneOf('small', 'large').default('small'),
  }),
);

export const parseProfileQuery = checkQuery(
  Joi.object<{ readonly profile: string }>({
    profile: profile.default(DEFAULT_PROFILE),
  }),
);

const MAX_FIELDS = 20;

/** Requests with more fields are rejected at once, since each wrong field takes 4 KB of memory. */
const MAX_CHECKED = 100;

const MESSAGES: Joi.LanguageMessages = {
  'any.required': '{{#label}} is missing',
  'object.base': '{{#label}} must be a JSON object',
  'object.unknown': '{{#label}} is not a known field',
};

/** Throws a Failure that lists up to MAX_FIELDS wrong fields. */
export function checkFields<T>(
  schema: Joi.ObjectSchema<T>,
  given: unknown,
  code: 'invalid_body' | 'invalid_parameter',
): T {
  const count = Object.keys(Object(given)).length;
  if (count > MAX_CHECKED && !Array.isArray(given)) {
    const problem = `The request has ${count} fields, more than any request knows.`;
    throw new Failure(code, `${problem} Send only fields that the API documents.`);
  }
  const { value, error } = schema.validate(given, {
    errors: { label: 'path' },
    messages: MESSAGES,
  });
  if (!error) return value;
  const fields = error.details.slice(0, MAX_FIELDS).map((detail) => ({
    field: detail.path.join('.') || '(body)',
    expected: detail.message,
  }));
  const left = error.details.length - fields.length;
  const expected = fields.map((field) => field.expected).join('; ');
  const more = left > 0 ? `; and ${left} more` : '';
  throw new Failure(code, `The request has wrong fields. Correct them: ${expected}${more}.`, {
    facts: { fields },
  });
}
