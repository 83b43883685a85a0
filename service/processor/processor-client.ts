import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Log } from '../../helpers/log.ts';
import { openStoredFile } from '../http-client/stored-file.ts';
import { createDocumentForm } from './document-form.ts';
import {
  exchange,
  EXCHANGE_TIMEOUTS_MS,
  type Exchange,
  type ExchangeTimeouts,
  type Outcome,
} from './exchange.ts';
import { askHealth, type ProcessorHealth } from './processor-health.ts';
import {
  isStopping,
  refused,
  storingFailed,
  unexpected,
  unreachable,
} from './processor-failures.ts';
import { createReplicas, type Replicas } from './replicas.ts';
import { readWarnings } from './read-warnings.ts';

export type { ProcessorHealth } from './processor-health.ts';

/** How a page is to be processed; the `processing` of a profile has these fields. */
export interface PageOptions {
  readonly languages: readonly string[];
  readonly deskew: boolean;
  readonly rotate_pages: boolean;
  readonly optimize: number;
}

/** How a document is to be assembled. */
export interface DocumentOptions {
  readonly title: string;
  readonly output_type: 'pdfa' | 'pdf';
  readonly optimize: number;
  readonly languages: readonly string[];
}

export interface PageRequest {
  /** A scanned page, TIFF. */
  readonly pageFile: string;
  /** Where the one-page searchable PDF goes. */
  readonly outFile: string;
  readonly options: PageOptions;
  readonly signal: AbortSignal;
  /** Where tries are told that failed; the client's own log when left out. */
  readonly log?: Log;
}

export interface DocumentRequest {
  /** One-page PDFs, in order. */
  readonly pageFiles: readonly string[];
  readonly outFile: string;
  readonly options: DocumentOptions;
  readonly signal: AbortSignal;
  readonly log?: Log;
}

export interface AssembledDocument {
  readonly page_count: number;
  readonly bytes: number;
  /** Hexadecimal. */
  readonly sha256: string;
  readonly warnings: readonly string[];
}

/**
 * The processor, wherever it is. Files go from and to disk as they are sent; a file that it made is complete and durable
 * when the promise resolves, and not there otherwise. Rejects with Failure `processor_unreachable`, `processing_failed` or
 * `insufficient_storage`, and with the signal's reason when it is aborted.
 */
export interface ProcessorClient {
  /** What one replica says of itself, with the workers of all of them. */
  health(signal: AbortSignal): Promise<ProcessorHealth>;
  recognizePage(request: PageRequest): Promise<{ readonly warnings: readonly string[] }>;
  assembleDocument(request: DocumentRequest): Promise<AssembledDocument>;
}

export interface ProcessorClientOptions {
  readonly baseUrl: string;
  readonly log: Log;
  readonly timeouts?: Partial<ExchangeTimeouts>;
}

/** Waits before a request is sent again, in milliseconds: a replica that is restarted is back within seconds. */
const RETRY_WAITS_MS = [200, 1000];

/** Makes a client of the processor at `baseUrl`; asks nothing yet. */
export function createProcessorClient(options: ProcessorClientOptions): ProcessorClient {
  const baseUrl = new URL(options.baseUrl.endsWith('/') ? options.baseUrl : `${options.baseUrl}/`);
  const parts = {
    baseUrl,
    log: options.log,
    replicas: createReplicas(baseUrl.hostname.replaceAll(/^\[|\]$/g, '')),
    timeouts: { ...EXCHANGE_TIMEOUTS_MS, ...options.timeouts },
  };
  return {
    health: async (signal) => {
      const health = await askHealth(baseUrl, signal);
      return { ...health, workers: health.workers * (await parts.replicas.count()) };
    },
    recognizePage: (request) => recognizePage(parts, request),
    assembleDocument: (request) => assembleDocument(parts, request),
  };
}

interface Parts {
  readonly baseUrl: URL;
  readonly log: Log;
  readonly replicas: Replicas;
  readonly timeouts: ExchangeTimeouts;
}

async function recognizePage(
  parts: Parts,
  { pageFile, outFile, options, signal, log = parts.log }: PageRequest,
): Promise<{ warnings: string[] }> {
  signal.throwIfAborted();
  const page = await openStoredFile(pageFile, { type: 'image/tiff' });
  const url = new URL('pages', parts.baseUrl);
  url.search = new URLSearchParams({
    languages: options.languages.join(','),
    deskew: String(options.deskew),
    rotate_pages: String(options.rotate_pages),
    optimize: String(options.optimize),
  }).toString();
  const what = `the recognition of ${path.basename(pageFile)}`;
  const headers = { 'content-type': page.type, 'content-length': String(page.size) };
  const stored = await sendRepeatedly({ ...parts, log }, what, () => ({
    url,
    headers,
    outFile,
    signal,
    body: page.stream(),
  }));
  return { warnings: readWarnings(parts.baseUrl, what, stored.headers['x-page-warnings']) };
}

async function assembleDocument(
  parts: Parts,
  { pageFiles, outFile, options, signal, log = parts.log }: DocumentRequest,
): Promise<AssembledDocument> {
  signal.throwIfAborted();
  const { title, output_type, optimize, languages } = options;
  const form = await createDocumentForm(pageFiles, { title, output_type, optimize, languages });
  const url = new URL('documents', parts.baseUrl);
  const what = `the assembly of ${path.basename(outFile)}`;
  const stored = await sendRepeatedly({ ...parts, log }, what, () => ({
    url,
    headers: form.headers,
    outFile,
    signal,
    body: form.body(),
  }));
  const count = Number(stored.headers['x-page-count']);
  if (count !== pageFiles.length) {
    throw unexpected(
      parts.baseUrl,
      what,
      `a document of ${count} pages instead of ${pageFiles.length}`,
    );
  }
  const warnings = readWarnings(parts.baseUrl, what, stored.headers['x-document-warnings']);
  return { page_count: count, ...stored.file, warnings };
}

/**
 * Sends a request, and again when the connection was lost: the processor keeps nothing, so that doing it twice does no
 * harm. Whatever goes wrong is a Failure.
 */
async function sendRepeatedly(
  { baseUrl, log, timeouts, replicas }: Parts,
  what: string,
  createRequest: () => Omit<Exchange, 'timeouts' | 'replicas'>,
): Promise<Extract<Outcome, { kind: 'stored' }>> {
  for (let attempt = 0; ; attempt += 1) {
    const request = createRequest();
    const outcome = await send({ ...request, timeouts, replicas }, baseUrl, what);
    if (outcome.kind === 'stored') return outcome;
    const isPassing = outcome.kind === 'lost' || isStopping(outcome);
    const pause = RETRY_WAITS_MS[attempt];
    if (!isPassing || pause === undefined) throw failureOf(outcome, baseUrl, what);
    log.warn({ what, outcome }, 'sending it to the processor again');
    await wait(pause, undefined, { signal: request.signal }).catch(() => {});
    request.signal.throwIfAborted();
  }
}

async function send(request: Exchange, baseUrl: URL, what: string): Promise<Outcome> {
  try {
    return await exchange(request);
  } catch (error) {
    request.signal.throwIfAborted();
    throw storingFailed(baseUrl, what, error);
  }
}

function failureOf(
  outcome: Exclude<Outcome, { kind: 'stored' }>,
  baseUrl: URL,
  what: string,
): Error {
  if (outcome.kind === 'lost') return unreachable(baseUrl, outcome.code);
  return isStopping(outcome)
    ? unreachable(baseUrl, 'it is stopping')
    : refused(baseUrl, what, outcome);
}
