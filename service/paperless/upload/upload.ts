import type { LookupFunction } from 'node:net';
import type { MultipartForm } from '../../http-client/multipart-form.ts';
import {
  trackedRequest,
  type NoResponse,
  type RequestTimeouts,
  type TrackedResponse,
} from '../../http-client/tracked-request.ts';

/**
 * In milliseconds. With the deadline of the call they bound every way an upload can hang. `socket`
 * and `response` must exceed the 19 s that Paperless-ngx 3.0 takes to answer 500 if its broker is
 * down. `send` is added to the time that SLOWEST_BYTES_PER_MS allows for the body.
 */
export const UPLOAD_TIMEOUTS_MS: RequestTimeouts = {
  lookup: 5000,
  connect: 5000,
  secureConnect: 10_000,
  socket: 60_000,
  send: 60_000,
  response: 60_000,
  read: 10_000,
};

/** 20 KB per second, a tenth of a poor wireless connection. */
const SLOWEST_BYTES_PER_MS = 20;

export interface Upload {
  readonly url: URL;
  readonly token: string;
  readonly form: MultipartForm;
  readonly timeouts: RequestTimeouts;
  readonly signal: AbortSignal;
  readonly lookup?: LookupFunction | undefined;
  /** True for an upload without a file, which stores nothing. */
  readonly isCheck?: boolean;
}

/** Marks the request as a self-test in the system's log. */
export const CHECK_HEADERS = { 'user-agent': 'scan-service self-test' };

/** The API version of Paperless-ngx 2.16 to 3.0. Without it, each uses its own default. */
const ACCEPT = 'application/json; version=9';
const ACCEPT_ANY_VERSION = 'application/json';

export async function sendUpload({
  url,
  form,
  ...options
}: Upload): Promise<TrackedResponse | NoResponse> {
  const { token, timeouts, signal, lookup, isCheck = false } = options;
  const send = timeouts.send + Number(form.headers['Content-Length']) / SLOWEST_BYTES_PER_MS;
  const sendAs = (accept: string): Promise<TrackedResponse | NoResponse> =>
    trackedRequest({
      method: 'POST',
      url,
      headers: { ...form.headers, ...apiHeaders(token, accept), ...(isCheck && CHECK_HEADERS) },
      body: form.body(),
      timeouts: { ...timeouts, send },
      signal,
      lookup,
    });
  return inAVersion(sendAs, signal);
}

/**
 * Sends a request with API version 9, and without a version if the system rejects it with 406. It
 * does so before storing anything, so the second request cannot create a second document.
 */
export async function inAVersion(
  sendAs: (accept: string) => Promise<TrackedResponse | NoResponse>,
  signal: AbortSignal,
): Promise<TrackedResponse | NoResponse> {
  const sent = await sendAs(ACCEPT);
  const isRefused = sent.kind === 'response' && sent.status === 406 && !signal.aborted;
  return isRefused ? sendAs(ACCEPT_ANY_VERSION) : sent;
}

export function apiHeaders(token: string, accept = ACCEPT): Record<string, string> {
  // Otherwise Paperless-ngx translates its messages.
  return { accept, 'accept-language': 'en', authorization: `Token ${token}` };
}
