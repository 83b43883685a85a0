import Joi from 'joi';
import { CATALOGUE } from '../../helpers/failure.ts';
import { METADATA_RULES } from '../destinations/metadata-schema.ts';
import { profileSchema } from '../profiles/schema.ts';
import { SCAN_ID } from '../scan/scan-id.ts';
import type { DeliveryNote } from '../scan/delivery-journal.ts';
import { OUTCOMES, SCAN_STATES, STAGES, type ScanRecord } from '../scan/scan-record.ts';
import { DOCUMENT_NAME, PAGE_NAME } from './file-names.ts';

const count = Joi.number().integer().min(0).required();
const text = Joi.string().allow('').required();
const time = Joi.string().isoDate();

const entry = Joi.alternatives(
  Joi.object({ status: Joi.valid('submitted').required(), task_id: text }),
  Joi.object({ status: Joi.valid('failed').required(), error: text }),
);

const outcome = Joi.valid(...OUTCOMES);

const document = Joi.object({
  filename: Joi.string().pattern(DOCUMENT_NAME).required(),
  pages: Joi.array().items(Joi.number().integer().min(1)).min(1).required(),
  page_count: count,
  bytes: count,
  sha256: Joi.string().hex().length(64).required(),
  title: text,
  destinations: Joi.array().items(entry).required(),
  outcomes: Joi.array().items(outcome).length(Joi.ref('destinations.length')).required(),
});

/** What a `scan.json` must hold to be believed: people edit files, and disks fail. */
export const SCAN_RECORD_SCHEMA = Joi.object<ScanRecord>({
  scan_id: Joi.string().pattern(SCAN_ID).required(),
  // Those of the first versions have none.
  revision: Joi.number().integer().min(0).default(0),
  profile: Joi.string().required(),
  state: Joi.valid(...SCAN_STATES).required(),
  stage: Joi.valid(...STAGES).required(),
  started_at: time.required(),
  ended_at: time.required().allow(null),
  page_count: count,
  pages: Joi.array().items(Joi.string().pattern(PAGE_NAME)).required(),
  duration_ms: count.allow(null),
  timings_ms: Joi.object({ scan: count, process: count, deliver: count }).required(),
  warnings: Joi.array().items(Joi.string().allow('')).required(),
  documents: Joi.array().items(document).required(),
  error: Joi.object({
    error: Joi.valid(...Object.keys(CATALOGUE)).required(),
    message: text,
  })
    .required()
    .allow(null),
  request: Joi.object(METADATA_RULES).required(),
  // Every default was filled in when it was written.
  settings: profileSchema({ output_dir: '/' }).required(),
}).prefs({ abortEarly: false, convert: false });

export interface DeliveryJournal {
  readonly revision: number;
  readonly notes: readonly DeliveryNote[];
}

const note = Joi.object({
  document: count,
  destination: count,
  entry: entry.required(),
  outcome: outcome.required(),
});

/** What the journal of a delivery must hold to be believed. */
export const DELIVERY_JOURNAL_SCHEMA = Joi.object<DeliveryJournal>({
  revision: count,
  notes: Joi.array().items(note).required(),
}).prefs({ convert: false });
