import type { ClientRequest } from 'node:http';
import { RequestError, UploadError, type Request, type Response } from 'got';
import { errorCode } from '../../helpers/error-code.ts';
import { readText, responseOf, singleRequest } from '../http-client/single-request.ts';
import type { Replicas } from './replicas.ts';
import { storeAnswer, type StoredPdf } from './store-answer.ts';

/** All in milliseconds; tests shorten them. The caller's signal carries the deadline, which is nearer than the last one. */
export const REQUEST_TIMEOUTS_MS = {
  /** Looking up the host name. */
  lookup: 5000,
  /** Establishing the TCP connection. */
  connect: 5000,
  /** Establishing TLS. */
  secureConnect: 10_000,
  /** All of it: a request may wait its turn at the processor, and a page of a poster may take long. */
  request: 60 * 60_000,
};

/** How often the kernel looks whether the other machine is still there, in milliseconds: power cuts send no reset. */
const KEEP_ALIVE_MS = 15_000;

export interface ProcessorRequest {
  readonly url: URL;
  /** Content-Type and an exact Content-Length. */
  readonly headers: Readonly<Record<string, string>>;
  /** Each piece is sent before the next one is asked for. */
  readonly body: AsyncIterable<Uint8Array>;
  /** File that the PDF goes to. */
  readonly outFile: string;
  readonly replicas: Pick<Replicas, 'claim'>;
  readonly timeouts?: Readonly<typeof REQUEST_TIMEOUTS_MS>;
  readonly signal: AbortSignal;
}

/** What came of a request. */
export type Outcome =
  /** `file` is null where the answer had no content. */
  | {
      readonly kind: 'stored';
      readonly file: StoredPdf | null;
      readonly headers: Response['headers'];
    }
  | { readonly kind: 'refused'; readonly status: number; readonly text: string }
  /** No complete answer: `code` is Node's. `unread` says why, where the body could not be read. */
  | { readonly kind: 'lost'; readonly code: string; readonly unread?: unknown };

/**
 * Sends a body to the processor and stores the PDF that it answers with. On a connection of its own: one that was kept may
 * be closed at the other end just then, and a new one may reach another replica. Rejects with what the file system says,
 * with IncompleteAnswer, and with the signal's reason.
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

/** What Node says of a connection that broke; got passes some of it on as it is when it breaks while a body is sent. */
const BROKEN = new Set(['ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE']);

/** The code of an error that says that the connection could not be made, or broke. */
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
