import type { ClientRequest, IncomingHttpHeaders } from 'node:http';
import type { LookupFunction } from 'node:net';
import { TimeoutError } from 'got';
import { errorCode } from '../../helpers/error-code.ts';
import { readText, responseOf, singleRequest } from './single-request.ts';

/** A response with any status. The body may be incomplete. */
export interface TrackedResponse {
  readonly kind: 'response';
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** How far a request without a response got. Never contains the token. */
export interface NoResponse {
  readonly kind: 'no_response';
  /** The connection was established, including TLS, so the system may have received something. */
  readonly connected: boolean;
  readonly bodySent: boolean;
  /** Error code of Node, OpenSSL or the HTTP parser. */
  readonly code: string;
  /** The phase that timed out, if any. */
  readonly timeout: keyof RequestTimeouts | undefined;
}

/** The body could not be read, before or after connecting. */
export const UNREADABLE_BODY = 'ERR_UPLOAD';

/** The signal aborted the request. No timeout is then reported. */
export const ABORTED = 'ERR_ABORTED';

/** Timeouts by phase, in milliseconds. */
export interface RequestTimeouts {
  readonly lookup: number;
  readonly connect: number;
  readonly secureConnect: number;
  /** No data in either direction, while sending the body or waiting for the response. */
  readonly socket: number;
  readonly send: number;
  /** From the end of the body to the end of the headers, including interim responses. */
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
  /** Replaces the lookup of host names. */
  readonly lookup?: LookupFunction | undefined;
  /** Longest response body; the rest is not read. */
  readonly maxBytes?: number;
}

/**
 * Sends a request once, on a new connection: a kept connection may be closed just as the request is
 * sent, which looks like a lost response. Follows no redirects and does not retry. Returns errors
 * of the network or the system instead of throwing them.
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
    // No upgrade was requested, and no further event would end the request before its deadline.
    request.once('upgrade', (_, socket) => {
      socket.destroy();
      stream.destroy(Object.assign(new Error('another protocol'), { code: 'HPE_UPGRADE' }));
    });
  });
  try {
    const response = await responseOf(stream);
    // The status matters most, so an incomplete body is accepted.
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
