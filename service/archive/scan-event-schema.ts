import Joi from 'joi';
import { isFailureCode, type FailureCode } from '../../helpers/failure.ts';
import { cropRule } from '../../helpers/page-crop.ts';
import { pageFactsSchema } from '../../helpers/page-facts.ts';
import { OUTCOMES } from '../paperless/destination.ts';
import { METADATA_RULES } from '../paperless/metadata-schema.ts';
import type { Profile } from '../profiles/profile.ts';
import { scanSettingsSchema } from '../profiles/scan-settings.ts';
import { profileSchema } from '../profiles/schema.ts';
import { DOCUMENT_NAME, PAGE_NAME } from './file-names.ts';
import { EVENT_FORMAT, STAGES, type ScanEvent, type ScanEventType } from './scan-event.ts';
import { SCAN_ID } from './scan-id.ts';
import type { ScanRecord } from './scan-record.ts';

const count = Joi.number().integer().min(0).required();
const number = Joi.number().integer().min(1).required();
const text = Joi.string().allow('').required();
const texts = Joi.array().items(Joi.string().allow('')).required();
const stage = Joi.valid(...STAGES);
const upload = { document: count, destination: count };
const sha256 = Joi.string().hex().length(64).required();
const call = Joi.object({ key: sha256, asked: sha256, last_page: count });
const settings = Joi.object({ destinations: Joi.array().items(Joi.object()).required() })
  .unknown()
  .custom(readSettings);

const FIELDS: Readonly<Record<ScanEventType, Joi.PartialSchemaMap>> = {
  begun: {
    format: Joi.valid(EVENT_FORMAT).required(),
    scan_id: Joi.string().pattern(SCAN_ID).required(),
    profile: Joi.string().required(),
    request: Joi.object().required(),
    settings: settings.required(),
    asked_settings: scanSettingsSchema,
    hold: Joi.boolean(),
    trigger: Joi.object({
      button: Joi.string(),
      function: Joi.number(),
      paper: Joi.valid(true),
    }),
    warnings: Joi.array().items(Joi.string().allow('')),
    call,
  },
  resumed: {
    stage: stage.required(),
    lost_pages: Joi.array().items(Joi.number().integer().min(1)).required(),
    warnings: texts,
    request: Joi.object(),
    settings,
    hold: Joi.boolean(),
    side: Joi.valid('backs'),
    replaces: Joi.number().integer().min(1),
    page_settings: scanSettingsSchema,
    call,
  },
  page: {
    number,
    sheet: number,
    side: Joi.valid('front', 'back').required(),
    filename: Joi.string().pattern(PAGE_NAME).required(),
    bytes: count,
    cropped: Joi.boolean(),
    instead_of: Joi.number().integer().min(1),
  },
  fed: {
    complete: Joi.boolean().required(),
    duplex: Joi.boolean().required(),
    moved: Joi.valid(false),
    device: Joi.string(),
    warnings: texts,
  },
  sides_differ: { fronts: count, backs: count },
  recognized: {
    page: number,
    facts: pageFactsSchema.required(),
    warnings: texts,
    options: Joi.object().unknown(),
    raw: Joi.object({ bytes: count, modified_at: Joi.number().required() }).required(),
    pdf: Joi.object({ bytes: count, sha256: Joi.string().required() }).unknown(),
  },
  edited: {
    page: number,
    left_out: Joi.boolean(),
    turn: Joi.valid(0, 90, 180, 270),
    before: Joi.number().integer().min(1).allow(null),
    starts_document: Joi.boolean(),
    crop: cropRule.allow(null),
  },
  replaced: { page: number, by: number },
  discarded: { discarded: Joi.boolean().required() },
  documents: {
    documents: Joi.array()
      .items({
        filename: Joi.string().pattern(DOCUMENT_NAME).required(),
        pages: Joi.array().items(number).min(1).required(),
        title: text,
        metadata: Joi.object().unknown().default({}),
      })
      .required(),
    dropped_pages: Joi.array()
      .items({
        page: number,
        reason: Joi.valid('blank', 'separator', 'replaced', 'person').required(),
        score: Joi.number().min(0),
      })
      .default([]),
    warnings: texts.default([]),
  },
  assembled: {
    document: count,
    bytes: count,
    sha256,
    page_count: Joi.number().integer().min(1),
    warnings: texts,
  },
  upload_begun: { ...upload, title: text, warnings: Joi.array().items(Joi.string()) },
  upload_ended: {
    ...upload,
    entry: Joi.alternatives(
      Joi.object({ status: Joi.valid('submitted').required(), task_id: text }),
      Joi.object({ status: Joi.valid('failed').required(), error: text }),
    ).required(),
    outcome: Joi.valid(...OUTCOMES).required(),
    warnings: Joi.array().items(Joi.string()),
  },
  ended: {
    profile: Joi.string().required(),
    started_at: Joi.string().isoDate().required(),
    state: Joi.valid('finished', 'held', 'failed').required(),
    error: Joi.object({ error: Joi.string().custom(knownCode).required(), message: text })
      .required()
      .allow(null),
    page_count: count,
    kept_page_count: Joi.number().integer().min(0),
    document_count: count,
    failed_deliveries: Joi.number().integer().min(0),
    title: Joi.string().allow('', null),
    first_page: Joi.object({
      page: number,
      turned: Joi.valid(0, 90, 180, 270).required(),
      crop: cropRule.required().allow(null),
    }).allow(null),
    duration_ms: count,
    timings_ms: Joi.object().pattern(stage, count).required(),
  },
};

const SCHEMAS = new Map(
  Object.entries(FIELDS).map(([type, fields]) => [
    type,
    Joi.object({ type: Joi.string(), at: Joi.string().isoDate().required(), ...fields }).prefs({
      abortEarly: false,
      convert: false,
      stripUnknown: { objects: true },
    }),
  ]),
);

/** Returns undefined for an event type of a newer version. Throws an Error for a damaged line. */
export function parseEvent(line: string): ScanEvent | undefined {
  const { type, ...rest }: { type?: unknown } = Object(JSON.parse(line));
  if (typeof type !== 'string') throw new Error('an event without a type');
  const schema = SCHEMAS.get(type);
  if (!schema) return undefined;
  const { format = EVENT_FORMAT }: { format?: unknown } = rest;
  if (format !== EVENT_FORMAT) {
    throw new Error(
      `it has format ${JSON.stringify(format)}, and this version reads ${EVENT_FORMAT}`,
    );
  }
  const { value, error } = schema.validate({ type, ...rest });
  if (error) throw new Error(`event "${type}" has wrong fields: ${wrongFields(error)}`);
  return value;
}

const requestSchema = Joi.object(METADATA_RULES).prefs({ convert: false });
const settingsSchema = profileSchema({ output_dir: '/' });

/**
 * Adds defaults and drops unknown fields. Keeps invalid settings, since the scan must stay
 * readable; check `resumeProblem` before using them.
 */
function readSettings(settings: object): Profile {
  const options = { stripUnknown: true };
  const { value }: { value: Profile } = settingsSchema.validate(settings, options);
  return value;
}

/** Names the recorded settings or metadata that this version does not accept. */
export function resumeProblem({
  settings,
  request,
}: Pick<ScanRecord, 'settings' | 'request'>): string | undefined {
  const problem = settingsSchema.validate(settings).error ?? requestSchema.validate(request).error;
  return problem && wrongFields(problem);
}

/** A newer version may have recorded an error code that this one does not know. */
function knownCode(code: string): FailureCode {
  return isFailureCode(code) ? code : 'internal_error';
}

function wrongFields({ details }: Joi.ValidationError): string {
  return [...new Set(details.map(({ path }) => path.join('.')))].join(', ');
}
