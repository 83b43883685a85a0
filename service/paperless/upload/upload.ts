import type { LookupFunction } from 'node:net';
import type { MultipartForm } from '../../http-client/multipart-form.ts';
import {
  trackedRequest,
  type NoResponse,
  type RequestTimeouts,
  type TrackedResponse,
} from '../../http-client/tracked-request.ts';

/**
 * `socket` and `response` must exceed the 19 s that Paperless-ngx 3.0 takes to answer 500 without
 * its broker. `send` excludes the time for the body.
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

/** 20 kB per second, a tenth of the speed of a poor wireless connection. */
const SLOWEST_BYTES_PER_MS = 20;

export interface Upload {
  readonly url: URL;
  readonly token: string;
  readonly form: MultipartForm;
  readonly timeouts: RequestTimeouts;
  readonly signal: AbortSignal;
  readonly lookup?: LookupFunction | undefined;
  /** True for a test upload without a file. */
  readonly isCheck?: boolean;
}

/** Identifies a test upload in the log of the system. */
export const CHECK_HEADERS = { 'user-agent': 'scan-service self-test' };

/** Paperless-ngx 2.16 to 3.0 support this version, but use different ones by default. */
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
 * Sends a request for API version 9, or after a 406 for any version. The system answers 406 before
 * it stores anything, so the second request cannot create a duplicate.
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
  // Otherwise, Paperless-ngx would translate its messages.
  return { accept, 'accept-language': 'en', authorization: `Token ${token}` };
}
