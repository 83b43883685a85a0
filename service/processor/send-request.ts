import type { ClientRequest } from 'node:http';
import { RequestError, UploadError, type Request, type Response } from 'got';
import { errorCode } from '../../helpers/error-code.ts';
import { readText, responseOf, singleRequest } from '../http-client/single-request.ts';
import type { Replicas } from './replicas.ts';
import { storeAnswer, type StoredPdf } from './store-answer.ts';

/** The caller's deadline is usually earlier than `request`. */
export const REQUEST_TIMEOUTS_MS = {
  lookup: 5000,
  connect: 5000,
  secureConnect: 10_000,
  /** Includes the wait in the processor's queue. A poster may take long. */
  request: 60 * 60_000,
};

/** TCP keep-alive notices a machine that lost power. */
const KEEP_ALIVE_MS = 15_000;

export interface ProcessorRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AsyncIterable<Uint8Array>;
  readonly outFile: string;
  readonly replicas: Pick<Replicas, 'claim'>;
  readonly timeouts?: Readonly<typeof REQUEST_TIMEOUTS_MS>;
  readonly signal: AbortSignal;
}

export type Outcome =
  /** `file` is null if the response had no content. */
  | {
      readonly kind: 'stored';
      readonly file: StoredPdf | null;
      readonly headers: Response['headers'];
    }
  | { readonly kind: 'refused'; readonly status: number; readonly text: string }
  /** No complete response. `code` is Node's; `unread` is an error of reading the body. */
  | { readonly kind: 'lost'; readonly code: string; readonly unread?: unknown };

/**
 * Sends a body and stores the PDF of the response. Uses a new connection each time: it may reach
 * another replica, and the server cannot already be closing it. Rejects with a file system error,
 * IncompleteAnswer, or the signal's reason.
 */
export async function sendRequest(request: ProcessorRequest): Promise<Outcome> {
  const { url, headers, body, replicas, timeouts = REQUEST_TIMEOUTS_MS, signal } = request;
  const claim = replicas.claim();
  let wasLost = false;
  const stream = singleRequest.stream.post(url, {
    headers: { ...headers },
    body,
    dnsLookup: claim.lookup,
    timeout: { ...timeouts },
    signal,
  });
  stream.once('request', (sent: ClientRequest) => sent.setSocketKeepAlive(true, KEEP_ALIVE_MS));
  try {
    return await readOutcome(stream, request.outFile);
  } catch (error) {
    signal.throwIfAborted();
    const code = lostCode(error);
    if (code === undefined) throw error;
    if (error instanceof UploadError) return { kind: 'lost', code, unread: error.cause };
    wasLost = true;
    return { kind: 'lost', code };
  } finally {
    claim.release(wasLost);
    stream.destroy();
  }
}

/** Node's codes for broken connections, some of which Got does not wrap. */
const BROKEN = new Set(['ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE']);

/** Returns the code of a failed connection. Undefined for any other error. */
export function lostCode(error: unknown): string | undefined {
  if (error instanceof RequestError) return error.code;
  const code = errorCode(error);
  return code !== undefined && BROKEN.has(code) ? code : undefined;
}

async function readOutcome(stream: Request, outFile: string): Promise<Outcome> {
  const { statusCode: status, headers } = await responseOf(stream);
  if (status === 204) return { kind: 'stored', file: null, headers };
  if (status !== 200 || headers['content-type'] !== 'application/pdf') {
    return { kind: 'refused', status, text: await readText(stream, { mayBreakOff: false }) };
  }
  const file = await storeAnswer(stream, outFile, Number(headers['content-length']));
  return { kind: 'stored', file, headers };
}
