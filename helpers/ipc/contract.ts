import Joi from 'joi';
import path from 'node:path';
import { CATALOGUE, Failure } from '../failure.ts';
import { LAST_PAGE_NUMBER, PAGE_NAME } from '../page-names.ts';
import { deviceName, optionText, scannerOptions } from '../scanner-text.ts';
import type {
  CheckedScan,
  DescribeRequest,
  Device,
  DeviceDescription,
  FailureMessage,
  RunningScan,
  ScannedPage,
  ScanRequest,
  FedStack,
  SensorReading,
  SensorsRequest,
} from './messages.ts';

/**
 * Requests from the service to the scanner runtime over the Unix socket. Every frame carries the
 * `id` of its request:
 *
 *   service ──▶ runtime   <request name> {id, ask} | cancel {id}
 *   runtime ──▶ service   accepted {id} immediately … page {id, page}* during a scan …
 *                         then either result {id, result} or failed {id, failure}
 *
 * A cancelled request still ends with its own frame. The cancel itself gets no reply.
 */
export interface Asks {
  readonly health: object;
  readonly list_devices: object;
  readonly describe_device: DescribeRequest;
  readonly check_scan: ScanRequest;
  readonly read_sensors: SensorsRequest;
  readonly scan: ScanRequest;
}

export interface Answers {
  readonly health: { readonly status: 'ok'; readonly scanning: readonly RunningScan[] };
  readonly list_devices: readonly Device[];
  readonly describe_device: DeviceDescription;
  readonly check_scan: CheckedScan;
  /**
   * Fails with `scanner_busy`: during a scan of this scanner, with its `device`. Without it, the
   * scan of another scanner ended the reading (`busy_with`), or another query runs (`looking`).
   */
  readonly read_sensors: SensorReading;
  readonly scan: FedStack;
}

export type RequestName = keyof Asks;

interface Rule<Ask, Answer> {
  readonly asks: Joi.ObjectSchema<Ask>;
  readonly answers: Joi.Schema<Answer>;
  /** In milliseconds, for the whole request. */
  readonly deadlineMs: number;
  /** The limit of concurrent requests that applies (REQUEST_LIMITS); undefined for none. */
  readonly takes?: 'question' | 'scan';
}

/** No scanner is larger than A0, but sheet-fed ones take strips of several metres. */
const LONGEST_PAGE_MM = 10_000;

const pageNumber = Joi.number().integer().min(1).max(LAST_PAGE_NUMBER);
const positive = Joi.number().integer().min(1);
const millimetres = Joi.number().greater(0).max(LONGEST_PAGE_MM);
const pageSize = Joi.object({
  width_mm: millimetres.required(),
  height_mm: millimetres.required(),
});
const device = deviceName.required();
const sides = Joi.valid('one', 'both');
const text = Joi.string().allow('');
const texts = Joi.array().items(text).required();

const scanRequest = Joi.object<ScanRequest>({
  device,
  source: optionText,
  sides,
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

function isPlainPath(value: string): boolean {
  return path.isAbsolute(value) && !value.includes('\0') && path.normalize(value) === value;
}

/** More than the runtime's limits for listing devices and then opening one twice. */
const OPEN_TWICE_MS = 150_000;

/** Unknown keys are errors, since both sides have the same version. */
export const REQUESTS: { readonly [Name in RequestName]: Rule<Asks[Name], Answers[Name]> } = {
  health: {
    asks: Joi.object({}),
    answers: Joi.object({
      status: Joi.valid('ok').required(),
      scanning: Joi.array()
        .items(
          Joi.object({
            directory: Joi.string().required(),
            asked: device,
            device: device.allow(null),
          }),
        )
        .required(),
    }),
    // The limit of the readiness check (docs/specification.md §8).
    deadlineMs: 3000,
  },
  list_devices: {
    asks: Joi.object({}),
    answers: Joi.array().items(Joi.object({ name: device, vendor: text, model: text, type: text })),
    // More than the runtime's limit for listing devices.
    deadlineMs: 70_000,
    takes: 'question',
  },
  describe_device: {
    asks: Joi.object({ device, source: optionText }),
    answers: Joi.object({
      device,
      sources: texts,
      source: text,
      feeder: Joi.boolean().required(),
      sides: Joi.array().items(sides).required(),
      modes: texts,
      resolutions: Joi.alternatives(
        Joi.array().items(Joi.number()),
        Joi.object({ min: Joi.number().required(), max: Joi.number().required() }),
      ).required(),
      max_page: pageSize,
      area_unusable: Joi.boolean(),
      options: texts,
    }),
    deadlineMs: OPEN_TWICE_MS,
    takes: 'question',
  },
  check_scan: {
    asks: scanRequest,
    answers: Joi.object({
      device,
      cover_open: Joi.boolean(),
      page_size: pageSize,
      area_unusable: Joi.boolean(),
    }),
    deadlineMs: OPEN_TWICE_MS,
    takes: 'question',
  },
  read_sensors: {
    asks: Joi.object({ device }),
    answers: Joi.object({
      device,
      address: Joi.string(),
      paper: Joi.boolean(),
      sensors: Joi.object().pattern(Joi.string(), Joi.boolean()).required(),
      function: Joi.number().integer(),
      scans: Joi.number().integer().min(0).required(),
    }),
    deadlineMs: OPEN_TWICE_MS,
    takes: 'question',
  },
  scan: {
    asks: scanRequest,
    answers: Joi.object({
      device,
      duplex: Joi.boolean().required(),
      page_count: Joi.number().integer().min(0).required(),
      warnings: Joi.array().items(Joi.string()).required(),
    }),
    // A safety net: no stack of paper takes longer.
    deadlineMs: 24 * 60 * 60 * 1000,
    takes: 'scan',
  },
};

const MAX_ID_CHARACTERS = 100;

export function idOf(payload: unknown): string | undefined {
  if (typeof payload !== 'object' || payload === null || !('id' in payload)) return undefined;
  const { id } = payload;
  const isId = typeof id === 'string' && id !== '' && id.length <= MAX_ID_CHARACTERS;
  return isId ? id : undefined;
}

const page = Joi.object<ScannedPage>({
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

const failure = Joi.object<FailureMessage>({
  code: Joi.valid(...Object.keys(CATALOGUE)).required(),
  what: Joi.string().required(),
  remedy: Joi.string(),
  facts: Joi.object().unknown().required(),
});

/** Throws `Failure('invalid_body')` naming every wrong field. */
export function readAsk<Name extends RequestName>(name: Name, payload: unknown): Asks[Name] {
  return check(REQUESTS[name].asks, partOf(payload, 'ask'), (found) => {
    const what = `Wrong fields in the request ${name}: ${found}.`;
    return new Failure('invalid_body', what);
  });
}

/** Throws `Failure('scanner_runtime_unreachable')` for an invalid frame. */
export function readPage(payload: unknown): ScannedPage {
  return check(page, partOf(payload, 'page'), notUnderstood('a page'));
}

export function readFailure(payload: unknown): Failure {
  const { code, what, ...options } = check(
    failure,
    partOf(payload, 'failure'),
    notUnderstood('a failure'),
  );
  return new Failure(code, what, options);
}

export function readAnswer<Name extends RequestName>(name: Name, payload: unknown): Answers[Name] {
  const of = `the result of ${name}`;
  return check(REQUESTS[name].answers, partOf(payload, 'result'), notUnderstood(of));
}

function partOf(payload: unknown, name: string): unknown {
  return typeof payload === 'object' && payload !== null ? Reflect.get(payload, name) : undefined;
}

function notUnderstood(of: string): (found: string) => Failure {
  const what = 'The scanner runtime sent a message that the service does not understand.';
  return (found) => {
    const remedy = `Run both in the same version. (Wrong fields in ${of}: ${found}.)`;
    return new Failure('scanner_runtime_unreachable', what, { remedy });
  };
}

function check<Part>(
  schema: Joi.Schema<Part>,
  part: unknown,
  failureOf: (found: string) => Failure,
): Part {
  const options = { abortEarly: false, convert: false } as const;
  const checked: Joi.ValidationResult<Part> = schema.required().validate(part, options);
  if (!checked.error) return checked.value;
  throw failureOf(checked.error.details.map(({ message }) => message).join('; '));
}
