import type { ClientRequest } from 'node:http';
import { TimeoutError } from 'got';
import { errorCode } from '../../helpers/error-code.ts';
import type { MultipartForm } from '../http-client/multipart-form.ts';
import { readText, responseOf, singleRequest } from '../http-client/single-request.ts';

/** An answer, whatever its status; the body may be cut off. */
export interface UploadResponse {
  readonly kind: 'response';
  readonly status: number;
  readonly location: string | undefined;
  readonly retryAfter: string | undefined;
  readonly body: string;
}

/** How an upload went that got no answer. Facts only: an error of the HTTP client holds the token. */
export interface NoResponse {
  readonly kind: 'no_response';
  /** The connection stood, TLS included: the system may have received something. */
  readonly connected: boolean;
  /** The last byte of the body was handed to the network. */
  readonly bodySent: boolean;
  /** Code of Node, of OpenSSL or of the HTTP parser. */
  readonly code: string;
  /** The phase that took too long, if one did. */
  readonly timeout: keyof UploadTimeouts | undefined;
}

/**
 * All in milliseconds; together with the call's own deadline they bound every way that an upload can hang. `socket` and
 * `response` must exceed the 19 s that Paperless-ngx 3.0 took to answer 500 with its broker down; the others are far above
 * what a local network needs.
 */
export const UPLOAD_TIMEOUTS_MS = {
  /** Looking up the host name. */
  lookup: 5000,
  /** Establishing the TCP connection. */
  connect: 5000,
  /** Establishing TLS. */
  secureConnect: 10_000,
  /** No byte moves in either direction: while the body is sent, and while the answer is waited for. */
  socket: 60_000,
  /** Sending the body, beyond the time that SLOWEST_BYTES_PER_MS grants to its size. */
  send: 60_000,
  /** From the end of the body to the end of the answer's headers, also when bytes of them or interim answers keep coming. */
  response: 60_000,
  /** Reading the answer once it has begun. */
  read: 10_000,
};

export type UploadTimeouts = Readonly<typeof UPLOAD_TIMEOUTS_MS>;

/** 20 KB per second: a tenth of a bad wireless connection. */
const SLOWEST_BYTES_PER_MS = 20;

export interface Upload {
  readonly url: URL;
  readonly token: string;
  readonly form: MultipartForm;
  readonly timeouts: UploadTimeouts;
  readonly signal: AbortSignal;
}

/**
 * Sends a form once, on a connection of its own: a connection kept from an earlier upload may be closed by the system
 * just as the next one begins, which looks the same as a lost answer. Follows no redirect, repeats nothing, and never
 * rejects for what the network or the system does. `accept` chooses the API version.
 */
export async function sendUpload(
  { url, token, form, timeouts, signal }: Upload,
  accept: string,
): Promise<UploadResponse | NoResponse> {
  const progress = { connected: false, bodySent: false };
  const send = timeouts.send + Number(form.headers['Content-Length']) / SLOWEST_BYTES_PER_MS;
  const stream = singleRequest.stream.post(url, {
    headers: {
      ...form.headers,
      accept,
      // Messages are translated otherwise.
      'accept-language': 'en',
      authorization: `Token ${token}`,
    },
    body: form.body(),
    timeout: { ...timeouts, send },
    signal,
  });
  stream.once('request', (request: ClientRequest) => {
    const connected = url.protocol === 'https:' ? 'secureConnect' : 'connect';
    request.once('socket', (socket) => {
      socket.once(connected, () => (progress.connected = true));
    });
    request.once('finish', () => (progress.bodySent = true));
    // An upgrade was not asked for, and no other event follows it: the upload would wait for the deadline.
    request.once('upgrade', (_, socket) => {
      socket.destroy();
      stream.destroy(Object.assign(new Error('another protocol'), { code: 'HPE_UPGRADE' }));
    });
  });
  try {
    const { statusCode: status, headers } = await responseOf(stream);
    const { location, 'retry-after': retryAfter } = headers;
    // The status alone says most, so a body that breaks off is no failure here.
    const body = await readText(stream, { mayBreakOff: true });
    return { kind: 'response', status, location, retryAfter, body };
  } catch (error) {
    const code = errorCode(error) ?? 'unknown error';
    return { kind: 'no_response', ...progress, code, timeout: phaseOf(error) };
  } finally {
    stream.destroy();
  }
}

function phaseOf(error: unknown): NoResponse['timeout'] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- got names the time limits that it was given
  return error instanceof TimeoutError ? (error.event as keyof UploadTimeouts) : undefined;
}
