import Joi from 'joi';
import path from 'node:path';
import { Failure, isFailureCode } from '../failure.ts';
import { LAST_PAGE_NUMBER, PAGE_NAME } from '../page-names.ts';
import { hasPrototypeKey } from '../prototype-key.ts';
import { deviceName, optionText, scannerOptions } from '../scanner-text.ts';
import type {
  CheckedScan,
  DescribeRequest,
  Device,
  DeviceDescription,
  FailureMessage,
  ReplyEvent,
  RequestEvent,
  RunningScan,
  ScannedPage,
  ScanRequest,
  ScanSummary,
} from './messages.ts';

/**
 * The shape of every message, checked on both sides of the socket before anything of it is used. Unknown keys are
 * errors: the two sides are of one version.
 */
export interface RequestPayloads {
  health: { readonly id: string };
  list_devices: { readonly id: string };
  describe_device: { readonly id: string } & DescribeRequest;
  check_scan: { readonly id: string; readonly request: ScanRequest };
  scan: { readonly id: string; readonly request: ScanRequest };
  cancel: { readonly id: string; readonly request_id: string };
}

export interface ReplyPayloads {
  accepted: { readonly id: string };
  result: { readonly id: string; readonly result: unknown };
  page: { readonly id: string; readonly page: ScannedPage };
  scanned: { readonly id: string; readonly summary: ScanSummary };
  failed: { readonly id: string; readonly failure: FailureMessage };
}

export interface Results {
  /** `scanning`: the scans that are under way. */
  health: { readonly status: 'ok'; readonly scanning: readonly RunningScan[] };
  list_devices: readonly Device[];
  describe_device: DeviceDescription;
  check_scan: CheckedScan;
  scan: ScanSummary;
  cancel: { readonly cancelled: boolean };
}

/** No scanner is larger than A0; a sheet-fed one takes strips of several metres. */
const LONGEST_PAGE_MM = 10_000;

const id = Joi.string().min(1).max(100).required();
const pageNumber = Joi.number().integer().min(1).max(LAST_PAGE_NUMBER);
const count = Joi.number().integer().min(0);
const positive = Joi.number().integer().min(1);
const millimetres = Joi.number().greater(0).max(LONGEST_PAGE_MM);
const pageSize = Joi.object({
  width_mm: millimetres.required(),
  height_mm: millimetres.required(),
});
const device = deviceName.required();

const scanRequest = Joi.object<ScanRequest>({
  device,
  source: optionText,
  mode: optionText.required(),
  resolution: Joi.number().integer().min(1).max(20_000).required(),
  page_size: Joi.alternatives(Joi.valid('auto'), pageSize).required(),
  max_pages: pageNumber.required(),
  scanner_options: scannerOptions.required(),
  directory: Joi.string()
    .max(4000)
    .custom((value: string, helpers) =>
      isPlainPath(value) ? value : helpers.error('string.base', { value }),
    )
    .required(),
  first_page: pageNumber.required(),
  first_sheet: pageNumber.required(),
});

const requestSchemas: { [Event in RequestEvent]: Joi.ObjectSchema<RequestPayloads[Event]> } = {
  health: Joi.object({ id }),
  list_devices: Joi.object({ id }),
  describe_device: Joi.object({ id, device, source: optionText }),
  check_scan: Joi.object({ id, request: scanRequest.required() }),
  scan: Joi.object({ id, request: scanRequest.required() }),
  cancel: Joi.object({ id, request_id: id }),
};

const scannedPage = Joi.object<ScannedPage>({
  number: pageNumber.required(),
  sheet: pageNumber.required(),
  side: Joi.valid('front', 'back').required(),
  filename: Joi.string().pattern(PAGE_NAME).required(),
  bytes: positive.required(),
  width_px: positive.required(),
  height_px: positive.required(),
  dpi: positive.required(),
  cropped: Joi.boolean().required(),
});

const summary = Joi.object<ScanSummary>({
  device,
  duplex: Joi.boolean().required(),
  page_count: count.required(),
  warnings: Joi.array().items(Joi.string()).required(),
});

const failure = Joi.object<FailureMessage>({
  code: Joi.string()
    .custom((code: string, helpers) => (isFailureCode(code) ? code : helpers.error('any.only')))
    .required(),
  what: Joi.string().required(),
  remedy: Joi.string(),
  facts: Joi.object().unknown().required(),
});

const replySchemas: { [Event in ReplyEvent]: Joi.ObjectSchema<ReplyPayloads[Event]> } = {
  accepted: Joi.object({ id }),
  result: Joi.object({ id, result: Joi.any().required() }),
  page: Joi.object({ id, page: scannedPage.required() }),
  scanned: Joi.object({ id, summary: summary.required() }),
  failed: Joi.object({ id, failure: failure.required() }),
};

const runningScan = Joi.object<RunningScan>({
  directory: Joi.string().required(),
  asked: device,
  device: device.allow(null),
});
const text = Joi.string().allow('');
const names = Joi.array().items(Joi.string().allow('')).required();
const resultSchemas: { [Event in keyof Results]: Joi.Schema<Results[Event]> } = {
  health: Joi.object({
    status: Joi.valid('ok').required(),
    scanning: Joi.array().items(runningScan).required(),
  }),
  list_devices: Joi.array().items(
    Joi.object({ name: device, vendor: text, model: text, type: text }),
  ),
  describe_device: Joi.object({
    device,
    sources: names,
    source: text,
    modes: names,
    resolutions: Joi.alternatives(
      Joi.array().items(Joi.number()),
      Joi.object({ min: Joi.number().required(), max: Joi.number().required() }),
    ).required(),
    max_page: pageSize,
    options: names,
  }),
  check_scan: Joi.object({ device }),
  scan: summary,
  cancel: Joi.object({ cancelled: Joi.boolean().required() }),
};

/** The payload of a request, checked and frozen; throws `Failure('invalid_body')` that names every wrong field. */
export function readRequest<Event extends RequestEvent>(
  event: Event,
  payload: unknown,
): RequestPayloads[Event] {
  return check(requestSchemas[event], payload, `the request ${event}`);
}

/** The payload of a reply, checked and frozen; throws `Failure('scanner_runtime_unreachable')`: it talks otherwise. */
export function readReply<Event extends ReplyEvent>(
  event: Event,
  payload: unknown,
): ReplyPayloads[Event] {
  return checkReply(replySchemas[event], payload, `the message ${event}`);
}

/** What `result` or `scanned` carries for a request; throws as `readReply`. */
export function readResult<Event extends keyof Results>(
  event: Event,
  result: unknown,
): Results[Event] {
  return checkReply(resultSchemas[event], result, `the result of ${event}`);
}

/** The id in a payload that may be anything, so that a wrong message can still be answered. */
export function idOf(payload: unknown): string | undefined {
  if (typeof payload !== 'object' || payload === null || !('id' in payload)) return undefined;
  return typeof payload.id === 'string' && payload.id.length <= 100 ? payload.id : undefined;
}

function checkReply<Payload>(schema: Joi.Schema<Payload>, payload: unknown, what: string): Payload {
  try {
    return check(schema, payload, what);
  } catch (cause) {
    const found = cause instanceof Error ? cause.message : 'no detail';
    const what = 'The scanner runtime sent a message that the service does not understand.';
    const remedy = `Run both in the same version. (${found})`;
    throw new Failure('scanner_runtime_unreachable', what, { remedy, cause });
  }
}

function check<Payload>(schema: Joi.Schema<Payload>, payload: unknown, what: string): Payload {
  const options = { abortEarly: false, convert: false, allowUnknown: false } as const;
  const checked: Joi.ValidationResult<Payload> = schema.required().validate(payload, options);
  if (!checked.error && !hasPrototypeKey(payload, DEPTH)) return freeze(checked.value);
  const details = checked.error?.details ?? [{ message: '"__proto__" is not allowed' }];
  const found = details.map(({ message }) => message).join('; ');
  throw new Failure('invalid_body', `Wrong fields in ${what}: ${found}.`, { cause: checked.error });
}

/** Facts of a failure may be nested, but no message of ours is deeper. */
const DEPTH = 10;

function freeze<Value>(value: Value, depth = 0): Value {
  if (typeof value !== 'object' || value === null || depth > DEPTH) return value;
  Object.freeze(value);
  for (const child of Object.values(value)) freeze(child, depth + 1);
  return value;
}

function isPlainPath(value: string): boolean {
  return path.isAbsolute(value) && !value.includes('\0') && path.normalize(value) === value;
}
