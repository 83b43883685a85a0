import type { ClientRequest, IncomingHttpHeaders } from 'node:http';
import type { LookupFunction } from 'node:net';
import { TimeoutError } from 'got';
import { errorCode } from '../../helpers/error-code.ts';
import { readText, responseOf, singleRequest } from './single-request.ts';

/** A response with any status. Its body may be incomplete. */
export interface TrackedResponse {
  readonly kind: 'response';
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** How far a request got that has no response. Never contains the token. */
export interface NoResponse {
  readonly kind: 'no_response';
  /** True once connected, including TLS: the system may have received something. */
  readonly connected: boolean;
  readonly bodySent: boolean;
  /** Error code of Node, OpenSSL or the HTTP parser. */
  readonly code: string;
  readonly timeout: keyof RequestTimeouts | undefined;
}

/** The file to send could not be read. */
export const UNREADABLE_BODY = 'ERR_UPLOAD';

/** The code if the signal aborts a request. */
export const ABORTED = 'ERR_ABORTED';

/** Timeouts by phase, in milliseconds. */
export interface RequestTimeouts {
  readonly lookup: number;
  readonly connect: number;
  readonly secureConnect: number;
  /** No data in either direction while connected. */
  readonly socket: number;
  readonly send: number;
  /** From the last byte of the request to the end of the response's headers. */
  readonly response: number;
  readonly read: number;
}

export interface TrackedRequest {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: AsyncIterable<Uint8Array> | string;
  readonly timeouts: RequestTimeouts;
  readonly signal: AbortSignal;
  readonly lookup?: LookupFunction | undefined;
  /** The rest of a longer response is not read. */
  readonly maxBytes?: number;
}

/**
 * Sends a request once, on a new connection, since a kept one may just be closing, which looks like
 * a lost response. Returns network errors instead of throwing them.
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
    ...(options.lookup && { dnsLookup: options.lookup }),
  });
  stream.once('request', (request: ClientRequest) => {
    const connected = url.protocol === 'https:' ? 'secureConnect' : 'connect';
    request.once('socket', (socket) => {
      socket.once(connected, () => (progress.connected = true));
    });
    request.once('finish', () => (progress.bodySent = true));
    // An unexpected upgrade would keep the request waiting until its deadline.
    request.once('upgrade', (_, socket) => {
      socket.destroy();
      stream.destroy(Object.assign(new Error('another protocol'), { code: 'HPE_UPGRADE' }));
    });
  });
  try {
    const response = await responseOf(stream);
    // An incomplete body is accepted, because the status says enough.
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
