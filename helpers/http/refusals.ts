import { STATUS_CODES, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { errorCode } from '../error-code.ts';
import { errorBody, Failure, type FailureCode } from '../failure.ts';
import { SECURITY_HEADERS } from './browser-defence.ts';
import type { ServerLimits } from './server-limits.ts';

export function parserFailure(cause: Error, limits: ServerLimits): Failure {
  const failed = (code: FailureCode, message: string): Failure =>
    new Failure(code, message, { cause });
  switch (errorCode(cause) ?? '') {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return failed(
        'request_timeout',
        `The request did not arrive in time. Send its headers within ${limits.headersMs / 1000} seconds and all of it within ${limits.requestMs / 1000}.`,
      );
    case 'HPE_HEADER_OVERFLOW':
      return failed(
        'header_too_large',
        `The request line and headers are larger than ${limits.maxHeaderBytes} bytes. Send fewer or shorter headers.`,
      );
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return failed(
        'body_too_large',
        'The extensions of a chunk are too large. Send the body without chunk extensions.',
      );
    default:
      return failed(
        'malformed_request',
        'This is not a valid HTTP/1.1 request. Check the request line, the headers and the length of the body.',
      );
  }
}

export function expectationFailure(): Failure {
  return new Failure(
    'expectation_failed',
    'The Expect header is not understood. Leave it out, or send "Expect: 100-continue".',
  );
}

export function refuse(response: ServerResponse, failure: Failure): void {
  const { headers, body } = envelope(failure);
  response.writeHead(failure.status, headers).end(body);
}

/** Like `refuse`, for requests that cannot be parsed and so have no response object. */
export function refuseRaw(socket: Duplex, failure: Failure): void {
  const { headers, body } = envelope(failure);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const status = `HTTP/1.1 ${failure.status} ${STATUS_CODES[failure.status] ?? ''}\r\n`;
  socket.end(`${status}${lines.join('')}\r\n${body}`, () => socket.destroy());
}

function envelope(failure: Failure): { headers: Record<string, string | number>; body: string } {
  const body = JSON.stringify(errorBody(failure));
  const headers = {
    ...SECURITY_HEADERS,
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    Connection: 'close',
  };
  return { headers, body };
}
