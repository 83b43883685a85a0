import path from 'node:path';
import type { Log } from '../../helpers/log.ts';
import {
  PAGE_COUNT_HEADER,
  PAGE_FACTS_HEADER,
  pageQuery,
  readPageFacts,
  readWarnings,
  WARNINGS_HEADER,
  type DocumentOptions,
  type PageFacts,
  type PageOptions,
  type ProcessorHealth,
} from '../../helpers/processor-contract.ts';
import { openStoredFile } from '../http-client/stored-file.ts';
import { createDocumentForm } from './document-form.ts';
import { unexpected } from './processor-failures.ts';
import { askHealth } from './processor-health.ts';
import { createReplicas } from './replicas.ts';
import { PATIENCE_MS, sendRepeatedly, type Sending, type Stored } from './send-repeatedly.ts';
import { REQUEST_TIMEOUTS_MS, type RequestTimeouts } from './send-request.ts';

export type {
  DocumentOptions,
  PageFacts,
  PageOptions,
  ProcessorHealth,
} from '../../helpers/processor-contract.ts';

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

export interface RecognizedPage {
  readonly facts: PageFacts;
  readonly warnings: readonly string[];
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
  recognizePage(request: PageRequest): Promise<RecognizedPage>;
  assembleDocument(request: DocumentRequest): Promise<AssembledDocument>;
}

export interface ProcessorClientOptions {
  readonly baseUrl: string;
  readonly log: Log;
  readonly timeouts?: Partial<RequestTimeouts>;
  /** How long a processor that cannot be reached is waited for, in milliseconds. */
  readonly patienceMs?: number;
}

/** Makes a client of the processor at `baseUrl`; asks nothing yet. */
export function createProcessorClient(options: ProcessorClientOptions): ProcessorClient {
  const baseUrl = new URL(options.baseUrl.endsWith('/') ? options.baseUrl : `${options.baseUrl}/`);
  const parts = {
    baseUrl,
    log: options.log,
    replicas: createReplicas(baseUrl.hostname.replaceAll(/^\[|\]$/g, '')),
    timeouts: { ...REQUEST_TIMEOUTS_MS, ...options.timeouts },
    patienceMs: options.patienceMs ?? PATIENCE_MS,
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

async function recognizePage(
  parts: Sending,
  { pageFile, outFile, options, signal, log = parts.log }: PageRequest,
): Promise<RecognizedPage> {
  signal.throwIfAborted();
  const page = await openStoredFile(pageFile, { type: 'image/tiff' });
  const url = new URL('pages', parts.baseUrl);
  url.search = pageQuery(options).toString();
  const what = `Recognition of ${path.basename(pageFile)}`;
  const headers = { 'content-type': page.type, 'content-length': String(page.size) };
  const stored = await sendRepeatedly({ ...parts, log }, what, () => ({
    url,
    headers,
    outFile,
    signal,
    body: page.stream(),
  }));
  const facts = readPageFacts(headerOf(stored, PAGE_FACTS_HEADER));
  const warnings = readWarnings(headerOf(stored, WARNINGS_HEADER));
  if (!facts || !warnings)
    throw unexpected(parts.baseUrl, what, 'without readable facts and warnings');
  return { facts, warnings };
}

async function assembleDocument(
  parts: Sending,
  { pageFiles, outFile, options, signal, log = parts.log }: DocumentRequest,
): Promise<AssembledDocument> {
  signal.throwIfAborted();
  const { title, output_type, languages } = options;
  const form = await createDocumentForm(pageFiles, { title, output_type, languages });
  const url = new URL('documents', parts.baseUrl);
  const what = `Assembly of ${path.basename(outFile)}`;
  const stored = await sendRepeatedly({ ...parts, log }, what, () => ({
    url,
    headers: form.headers,
    outFile,
    signal,
    body: form.body(),
  }));
  const count = Number(headerOf(stored, PAGE_COUNT_HEADER));
  if (count !== pageFiles.length) {
    throw unexpected(
      parts.baseUrl,
      what,
      `with a document of ${count} pages instead of ${pageFiles.length}`,
    );
  }
  const warnings = readWarnings(headerOf(stored, WARNINGS_HEADER));
  if (!warnings) throw unexpected(parts.baseUrl, what, 'without readable warnings');
  return { page_count: count, ...stored.file, warnings };
}

function headerOf({ headers }: Stored, name: string): string | readonly string[] | undefined {
  return headers[name.toLowerCase()];
}
