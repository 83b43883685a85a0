import type { ClientRequest, IncomingHttpHeaders } from 'node:http';
import { TimeoutError } from 'got';
import { errorCode } from '../../helpers/error-code.ts';
import { readText, responseOf, singleRequest } from './single-request.ts';

/** An answer, whatever its status; the body may be cut off. */
export interface TrackedResponse {
  readonly kind: 'response';
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** How far a request got that has no answer. Facts only: an error of the HTTP client holds the token. */
export interface NoResponse {
  readonly kind: 'no_response';
  /** The connection stood, TLS included: the system may have received something. */
  readonly connected: boolean;
  /** The last byte of the body was handed to the network. */
  readonly bodySent: boolean;
  /** Code of Node, of OpenSSL or of the HTTP parser. */
  readonly code: string;
  /** The phase that took too long, if one did. */
  readonly timeout: keyof RequestTimeouts | undefined;
}

/** The code where the body could not be read, before the connection stood or after that. */
export const UNREADABLE_BODY = 'ERR_UPLOAD';

/** The code where the signal ended the request; a passed deadline is no phase of it. */
export const ABORTED = 'ERR_ABORTED';

/** How long each phase of a request may take, in milliseconds. */
export interface RequestTimeouts {
  /** Looking up the host name. */
  readonly lookup: number;
  /** Establishing the TCP connection. */
  readonly connect: number;
  /** Establishing TLS. */
  readonly secureConnect: number;
  /** No byte moves in either direction: while the body is sent, and while the answer is waited for. */
  readonly socket: number;
  /** Sending the body. */
  readonly send: number;
  /** From the end of the body to the end of the answer's headers, also when bytes of them or interim answers keep coming. */
  readonly response: number;
  /** Reading the answer once it has begun. */
  readonly read: number;
}

export interface TrackedRequest {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: AsyncIterable<Uint8Array> | string;
  readonly timeouts: RequestTimeouts;
  readonly signal: AbortSignal;
  /** Of the answer's body; what is beyond is not read. */
  readonly maxBytes?: number;
}

/**
 * Sends a request once, on a connection of its own: a connection kept from an earlier one may be closed by the system just as
 * the next one begins, which looks the same as a lost answer. Follows no redirect, repeats nothing, and never rejects for
 * what the network or the system does.
 */
export async function trackedRequest({
  url,
  maxBytes,
  timeouts,
  ...options
}: TrackedRequest): Promise<TrackedResponse | NoResponse> {
  const progress = { connected: false, bodySent: false };
  const { method, headers, body, signal } = options;
  const stream = singleRequest.stream(url, {
    method,
    headers,
    ...(body !== undefined && { body }),
    timeout: { ...timeouts },
    signal,
  });
  stream.once('request', (request: ClientRequest) => {
    const connected = url.protocol === 'https:' ? 'secureConnect' : 'connect';
    request.once('socket', (socket) => {
      socket.once(connected, () => (progress.connected = true));
    });
    request.once('finish', () => (progress.bodySent = true));
    // An upgrade was not asked for, and no other event follows it: the request would wait for the deadline.
    request.once('upgrade', (_, socket) => {
      socket.destroy();
      stream.destroy(Object.assign(new Error('another protocol'), { code: 'HPE_UPGRADE' }));
    });
  });
  try {
    const response = await responseOf(stream);
    // The status alone says most, so a body that breaks off is no failure here.
    const text = await readText(stream, { mayBreakOff: true, maxBytes });
    return { kind: 'response', status: response.statusCode, headers: response.headers, body: text };
  } catch (error) {
    if (signal.aborted) {
      return { kind: 'no_response', ...progress, code: ABORTED, timeout: undefined };
    }
    const code = errorCode(error) ?? 'unknown error';
    return { kind: 'no_response', ...progress, code, timeout: phaseOf(error) };
  } finally {
    stream.destroy();
  }
}

function phaseOf(error: unknown): NoResponse['timeout'] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- got names the time limits that it was given
  return error instanceof TimeoutError ? (error.event as keyof RequestTimeouts) : undefined;
}
