import type { MultipartForm } from '../../http-client/multipart-form.ts';
import {
  trackedRequest,
  type NoResponse,
  type RequestTimeouts,
  type TrackedResponse,
} from '../../http-client/tracked-request.ts';

/**
 * All in milliseconds; together with the call's own deadline they bound every way that an upload can hang. `socket` and
 * `response` must exceed the 19 s that Paperless-ngx 3.0 took to answer 500 with its broker down; the others are far above
 * what a local network needs. `send` is beyond the time that SLOWEST_BYTES_PER_MS grants to the size of the body.
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

/** 20 KB per second: a tenth of a bad wireless connection. */
const SLOWEST_BYTES_PER_MS = 20;

export interface Upload {
  readonly url: URL;
  readonly token: string;
  readonly form: MultipartForm;
  readonly timeouts: RequestTimeouts;
  readonly signal: AbortSignal;
  /** An upload without a file, which stores nothing. */
  readonly isCheck?: boolean;
}

/** Says in the log of the system that a request is no document. */
export const CHECK_HEADERS = { 'user-agent': 'scan-service self-test' };

/** The API version of a request. The one that Paperless-ngx 2.16 to 3.0 all know; without one each takes its own default. */
const ACCEPT = 'application/json; version=9';
const ACCEPT_ANY_VERSION = 'application/json';

/** Sends a form once, as `trackedRequest` does. */
export async function sendUpload({
  url,
  form,
  ...options
}: Upload): Promise<TrackedResponse | NoResponse> {
  const { token, timeouts, signal, isCheck = false } = options;
  const send = timeouts.send + Number(form.headers['Content-Length']) / SLOWEST_BYTES_PER_MS;
  const sendAs = (accept: string): Promise<TrackedResponse | NoResponse> =>
    trackedRequest({
      method: 'POST',
      url,
      headers: { ...form.headers, ...apiHeaders(token, accept), ...(isCheck && CHECK_HEADERS) },
      body: form.body(),
      timeouts: { ...timeouts, send },
      signal,
    });
  return inAVersion(sendAs, signal);
}

/**
 * Sends a request in the version of the API that Paperless-ngx 2.16 to 3.0 all know, and in the system's own where it refuses that.
 * A 406 comes before anything is stored, so asking again cannot make a second document.
 */
export async function inAVersion(
  sendAs: (accept: string) => Promise<TrackedResponse | NoResponse>,
  signal: AbortSignal,
): Promise<TrackedResponse | NoResponse> {
  const sent = await sendAs(ACCEPT);
  const isRefused = sent.kind === 'response' && sent.status === 406 && !signal.aborted;
  return isRefused ? sendAs(ACCEPT_ANY_VERSION) : sent;
}

/** The headers of every request to the API. */
export function apiHeaders(token: string, accept = ACCEPT): Record<string, string> {
  // Messages are translated without the language.
  return { accept, 'accept-language': 'en', authorization: `Token ${token}` };
}
