/** Everything the processor answers with besides success: code → HTTP status. */
export const REFUSALS = {
  invalid_request: 400,
  language_missing: 400,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  length_required: 411,
  body_too_large: 413,
  unsupported_media_type: 415,
  unreadable_page: 422,
  internal_error: 500,
  not_implemented: 501,
  shutting_down: 503,
  insufficient_storage: 507,
} as const;

export type RefusalCode = keyof typeof REFUSALS;

/** An expected reason why a request is not served: a code, and one sentence that says what happened and what to do. */
export class Refusal extends Error {
  readonly code: RefusalCode;

  constructor(code: RefusalCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'Refusal';
    this.code = code;
  }

  /** HTTP status of the answer. */
  get status(): number {
    return REFUSALS[this.code];
  }
}

/** The refusal for a full disk, whatever noticed it. */
export function storageFull(cause?: unknown): Refusal {
  return new Refusal(
    'insufficient_storage',
    "the processor's temporary directory is full: give it more space (it needs about four times the size of a page " +
      'for each worker)',
    cause,
  );
}
