/** The HTTP status of each error code of the service. */
export const CATALOGUE = {
  invalid_body: 400,
  invalid_parameter: 400,
  malformed_request: 400,
  unauthorized: 401,
  forbidden_origin: 403,
  not_found: 404,
  profile_not_found: 404,
  scan_not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  scanner_busy: 409,
  scanner_busy_elsewhere: 409,
  scan_in_progress: 409,
  scan_interrupted: 409,
  scan_stopped: 409,
  scan_discarded: 409,
  scan_not_editable: 409,
  profile_exists: 409,
  set_up_closed: 409,
  profile_read_only: 409,
  too_many_profiles: 409,
  profile_changed: 412,
  body_too_large: 413,
  unsupported_media_type: 415,
  expectation_failed: 417,
  misdirected_host: 421,
  no_documents: 422,
  only_blank_pages: 422,
  scan_option_rejected: 422,
  sheet_count_mismatch: 422,
  too_many_sheets: 422,
  no_preview: 422,
  scan_not_resumable: 422,
  idempotency_key_reused: 422,
  metadata_not_found: 422,
  header_too_large: 431,
  internal_error: 500,
  scan_record_unreadable: 500,
  not_implemented: 501,
  scanner_jammed: 502,
  cover_open: 502,
  scanner_error: 502,
  processing_failed: 502,
  no_profiles_loaded: 503,
  scanner_runtime_unreachable: 503,
  no_scanner_detected: 503,
  processor_unreachable: 503,
  destination_unavailable: 503,
  output_dir_in_use: 503,
  shutting_down: 503,
  too_many_requests: 503,
  timeout: 504,
  insufficient_storage: 507,
} as const;

/** Codes that the service reports as `processing_failed`. */
export const PROCESSOR_CODES = {
  language_missing: 400,
  request_timeout: 408,
  length_required: 411,
  unreadable_page: 422,
  page_too_large: 422,
} as const;

export type ServiceCode = keyof typeof CATALOGUE;

export type FailureCode = ServiceCode | keyof typeof PROCESSOR_CODES;

/** Further fields of the error body: snake_case, JSON values, no secrets. */
export type FailureFacts = Readonly<Record<string, unknown>>;

/** What happened and, if anything helps, what to do: one sentence each. */
export interface Advice {
  readonly what: string;
  readonly remedy?: string | undefined;
}

export interface FailureOptions {
  /** For callers that show the remedy separately. `message` includes it. */
  readonly remedy?: string | undefined;
  readonly facts?: FailureFacts;
  readonly cause?: unknown;
}

/** An expected failure. Any other thrown error is a bug. */
export class Failure extends Error implements Advice {
  readonly code: FailureCode;
  readonly what: string;
  readonly remedy: string | undefined;
  readonly facts: FailureFacts;

  constructor(code: FailureCode, what: string, options: FailureOptions = {}) {
    const { remedy, facts = {}, cause } = options;
    super(sentencesOf({ what, remedy }), cause === undefined ? undefined : { cause });
    this.name = 'Failure';
    this.code = code;
    this.what = what;
    this.remedy = remedy;
    this.facts = facts;
  }

  /** Existing facts win over `facts`. */
  withFacts(facts: FailureFacts): Failure {
    const { code, what, remedy, cause } = this;
    return new Failure(code, what, { remedy, facts: { ...facts, ...this.facts }, cause });
  }

  get status(): number {
    return { ...CATALOGUE, ...PROCESSOR_CODES }[this.code];
  }
}

function sentencesOf({ what, remedy }: Advice): string {
  return remedy === undefined ? what : `${what} ${remedy}`;
}

/** Facts never replace `error` or `message`. */
export function errorBody(failure: Failure): Record<string, unknown> {
  return { ...failure.facts, error: failure.code, message: failure.message };
}

export function isFailureCode(code: unknown): code is ServiceCode {
  return typeof code === 'string' && Object.hasOwn(CATALOGUE, code);
}
