import { once } from 'node:events';
import type { ClientRequest } from 'node:http';
import type { Request, Response } from 'got';
import { singleRequest } from '../http-client/single-request.ts';
import type { MultipartForm } from '../http-client/multipart-form.ts';

/** An answer, whatever its status; the body may be cut off. */
export interface UploadResponse {
  readonly kind: 'response';
  readonly status: number;
  readonly contentType: string;
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

/** All in milliseconds. Together with the call's own deadline they bound every way that an upload can hang. */
export interface UploadTimeouts {
  /** Looking up the host name. */
  readonly lookup: number;
  /** Establishing the TCP connection. */
  readonly connect: number;
  /** Establishing TLS. */
  readonly secureConnect: number;
  /** No byte moves in either direction: while the body is sent, and while the answer is waited for. */
  readonly socket: number;
  /** Sending the body, beyond the time that SLOWEST_BYTES_PER_MS grants to its size. */
  readonly send: number;
  /** From the end of the body to the end of the answer's headers, also when bytes of them or interim answers keep coming. */
  readonly response: number;
  /** Reading the answer once it has begun. */
  readonly read: number;
}

/**
 * `socket` and `response` must exceed the 19 s that Paperless-ngx 3.0 took to answer 500 with its broker down; the others are
 * far above what a local network needs.
 */
export const UPLOAD_TIMEOUTS_MS: UploadTimeouts = {
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

/** A task id has 38 bytes and an error page a few thousand; what is beyond is not read. */
const MAX_RESPONSE_BYTES = 65_536;

export interface Upload {
  readonly url: URL;
  readonly token: string;
  /** Value of the `Accept` header: it chooses the API version. */
  readonly accept: string;
  readonly form: MultipartForm;
  readonly timeouts: UploadTimeouts;
  readonly signal: AbortSignal;
}

/**
 * Sends a form once, on a connection of its own: a connection kept from an earlier upload may be closed by the system
 * just as the next one begins, which looks the same as a lost answer. Follows no redirect, repeats nothing, and never
 * rejects for what the network or the system does.
 */
export async function sendUpload(upload: Upload): Promise<UploadResponse | NoResponse> {
  const progress = { connected: false, bodySent: false };
  const stream = singleRequest.stream.post(upload.url, {
    headers: {
      ...upload.form.headers,
      accept: upload.accept,
      // Messages are translated otherwise.
      'accept-language': 'en',
      authorization: `Token ${upload.token}`,
    },
    body: upload.form.body(),
    timeout: { ...upload.timeouts, send: timeToSend(upload) },
    signal: upload.signal,
  });
  // The first error is awaited below; a later one must not end the process.
  stream.on('error', () => {});
  stream.once('request', (request: ClientRequest) => {
    watch(request, upload.url, progress);
    // An upgrade was not asked for, and no other event follows it: the upload would wait for the deadline.
    request.once('upgrade', (_, socket) => {
      socket.destroy();
      stream.destroy(Object.assign(new Error('another protocol'), { code: 'HPE_UPGRADE' }));
    });
  });
  try {
    const response = await responseOf(stream);
    return await readResponse(response, stream);
  } catch (error) {
    return { kind: 'no_response', ...progress, ...factsOf(error) };
  } finally {
    stream.destroy();
  }
}

function timeToSend({ form, timeouts }: Upload): number {
  return timeouts.send + Number(form.headers['Content-Length']) / SLOWEST_BYTES_PER_MS;
}

function watch(
  request: ClientRequest,
  url: URL,
  progress: { connected: boolean; bodySent: boolean },
): void {
  request.once('socket', (socket) => {
    socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', () => {
      progress.connected = true;
    });
  });
  request.once('finish', () => {
    progress.bodySent = true;
  });
}

async function responseOf(stream: Request): Promise<Response> {
  const [response]: Response[] = await once(stream, 'response');
  if (response === undefined) throw new Error('no response');
  return response;
}

async function readResponse(response: Response, stream: Request): Promise<UploadResponse> {
  return {
    kind: 'response',
    status: response.statusCode,
    contentType: response.headers['content-type'] ?? '',
    location: response.headers.location,
    retryAfter: response.headers['retry-after'],
    body: await readBody(stream),
  };
}

/** As much of the body as came: the status alone says most, so a body that breaks off is no failure here. */
async function readBody(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of stream) {
      chunks.push(chunk.subarray(0, MAX_RESPONSE_BYTES - bytes));
      bytes += chunk.length;
      if (bytes >= MAX_RESPONSE_BYTES) break;
    }
  } catch {
    // Kept: what was read until then.
  }
  return Buffer.concat(chunks).toString('utf8');
}

function factsOf(error: unknown): Pick<NoResponse, 'code' | 'timeout'> {
  const { code, event }: { code?: unknown; event?: unknown } = Object(error);
  return {
    code: typeof code === 'string' ? code : 'unknown error',
    timeout: isPhase(event) ? event : undefined,
  };
}

function isPhase(event: unknown): event is keyof UploadTimeouts {
  return typeof event === 'string' && Object.hasOwn(UPLOAD_TIMEOUTS_MS, event);
}
