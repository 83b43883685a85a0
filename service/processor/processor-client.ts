import path from 'node:path';
import type { Log } from '../../helpers/log.ts';
import type { PageFacts } from '../../helpers/page-facts.ts';
import {
  PAGE_COUNT_HEADER,
  PAGE_FACTS_HEADER,
  pageQuery,
  readHealth,
  readPageFacts,
  readWarnings,
  WARNINGS_HEADER,
  type DocumentOptions,
  type PageOptions,
  type ProcessorHealth,
} from '../../helpers/processor-contract.ts';
import { encodeForm, type MultipartForm } from '../http-client/multipart-form.ts';
import { readText, responseOf, singleRequest } from '../http-client/single-request.ts';
import { openStoredFile } from '../http-client/stored-file.ts';
import { refused, sendingFailed, unexpected, unreachable } from './processor-failures.ts';
import { createReplicas } from './replicas.ts';
import { RETRY_FOR_MS, sendRepeatedly, type Sending } from './send-repeatedly.ts';
import { lostCode } from './send-request.ts';
import type { StoredPdf } from './store-answer.ts';

interface Work<Options> {
  readonly outFile: string;
  readonly options: Options;
  readonly signal: AbortSignal;
  /** Receives a line for each failed attempt. By default, the client's log. */
  readonly log?: Log;
}

export interface PageRequest extends Work<PageOptions> {
  readonly pageFile: string;
}

export interface DocumentRequest extends Work<DocumentOptions> {
  readonly pdfs: readonly string[];
  readonly pageCount: number;
}

export interface RecognizedPage {
  readonly facts: PageFacts;
  readonly warnings: readonly string[];
  /** The searchable PDF. Null if the processor left the page out, as blank or as separator. */
  readonly file: Pick<StoredPdf, 'bytes' | 'sha256'> | null;
}

export interface AssembledDocument extends StoredPdf {
  readonly warnings: readonly string[];
}

/**
 * If a promise resolves, the PDF is complete and durable; otherwise, or for a dropped page, there
 * is none. Rejects with Failure `processor_unreachable`, `processing_failed` or
 * `insufficient_storage`, another file system error, or the signal's reason.
 */
export interface ProcessorClient {
  /** The health of one replica, but the number of workers of all. */
  health(signal: AbortSignal): Promise<ProcessorHealth>;
  recognizePage(request: PageRequest): Promise<RecognizedPage>;
  assembleDocument(request: DocumentRequest): Promise<AssembledDocument>;
}

export interface ProcessorClientOptions {
  readonly baseUrl: string;
  readonly log: Log;
  /** How long to retry while the processor is unreachable. */
  readonly retryForMs?: number;
}

export function createProcessorClient(options: ProcessorClientOptions): ProcessorClient {
  const baseUrl = new URL(options.baseUrl.endsWith('/') ? options.baseUrl : `${options.baseUrl}/`);
  const parts = {
    baseUrl,
    log: options.log,
    replicas: createReplicas(baseUrl.hostname.replaceAll(/^\[|\]$/g, '')),
    retryForMs: options.retryForMs ?? RETRY_FOR_MS,
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

const HEALTH_MS = 5000;

async function askHealth(baseUrl: URL, signal: AbortSignal): Promise<ProcessorHealth> {
  signal.throwIfAborted();
  const { status, text } = await readHealthAnswer(baseUrl, signal);
  if (status !== 200) throw refused(baseUrl, 'The health check', { status, text });
  const health = readHealth(text);
  if (!health) throw unexpected(baseUrl, 'The health check', 'with a body that is not its health');
  return health;
}

/** Limits the length: anything at a wrong address may answer without end. */
async function readHealthAnswer(
  baseUrl: URL,
  signal: AbortSignal,
): Promise<{ readonly status: number; readonly text: string }> {
  const options = { timeout: { request: HEALTH_MS }, signal };
  const stream = singleRequest.stream.get(new URL('health', baseUrl), options);
  try {
    const { statusCode: status } = await responseOf(stream);
    return { status, text: await readText(stream, { mayBreakOff: false }) };
  } catch (error) {
    signal.throwIfAborted();
    const code = lostCode(error);
    throw code === undefined ? error : unreachable(baseUrl, code);
  } finally {
    stream.destroy();
  }
}

async function recognizePage(
  parts: Sending,
  { pageFile, outFile, options, signal, log = parts.log }: PageRequest,
): Promise<RecognizedPage> {
  signal.throwIfAborted();
  const files = { paths: [pageFile], without: 'go on without this page' };
  const page = await openStoredFile(pageFile, { type: 'image/tiff' }).catch((error: unknown) => {
    throw sendingFailed(files, error);
  });
  const url = new URL('pages', parts.baseUrl);
  url.search = pageQuery(options).toString();
  const what = `Recognition of ${path.basename(pageFile)}`;
  const headers = { 'content-type': page.type, 'content-length': String(page.size) };
  const request = { what, url, headers, body: () => page.stream(), files, outFile, signal };
  const answer = await sendRepeatedly({ ...parts, log }, request);
  const facts = readPageFacts(answer.headers[PAGE_FACTS_HEADER.toLowerCase()]);
  const warnings = readWarnings(answer.headers[WARNINGS_HEADER.toLowerCase()]);
  if (!facts || !warnings) {
    throw unexpected(parts.baseUrl, what, 'without readable facts and warnings');
  }
  const { file } = answer;
  if (file !== null && facts.left_out === null && file.page_count === 1) {
    return { facts, warnings, file: { bytes: file.bytes, sha256: file.sha256 } };
  }
  if (file === null && facts.left_out !== null) return { facts, warnings, file };
  throw unexpected(parts.baseUrl, what, explainPage(file));
}

function explainPage(file: StoredPdf | null): string {
  if (file === null) return 'without a page';
  return file.page_count === 1
    ? 'with a page that was left out'
    : `with a PDF of ${file.page_count} pages instead of one`;
}

async function assembleDocument(
  parts: Sending,
  { pdfs, pageCount, outFile, options, signal, log = parts.log }: DocumentRequest,
): Promise<AssembledDocument> {
  signal.throwIfAborted();
  const { title, output_type, card_paper } = options;
  // If a PDF is missing, the service makes it again.
  const files = { paths: pdfs, without: 'have it made again' };
  const form = await createDocumentForm(pdfs, { title, output_type, card_paper }).catch(
    (error: unknown) => {
      throw sendingFailed(files, error);
    },
  );
  const url = new URL('documents', parts.baseUrl);
  const what = `Assembly of ${path.basename(outFile)}`;
  const request = { what, url, ...form, files, outFile, signal };
  const answer = await sendRepeatedly({ ...parts, log }, request);
  const count = Number(answer.headers[PAGE_COUNT_HEADER.toLowerCase()]);
  const warnings = readWarnings(answer.headers[WARNINGS_HEADER.toLowerCase()]);
  const isCard = card_paper !== undefined && count === 1;
  if ((count === pageCount || isCard) && warnings && answer.file?.page_count === count) {
    return { ...answer.file, warnings };
  }
  const found = warnings
    ? `with a document of ${answer.file?.page_count ?? count} pages instead of ${pageCount}`
    : 'without readable warnings';
  throw unexpected(parts.baseUrl, what, found);
}

async function createDocumentForm(
  pdfs: readonly string[],
  options: object,
): Promise<MultipartForm> {
  const form = new FormData();
  form.append('options', JSON.stringify(options));
  const files = await Promise.all(
    pdfs.map((file) => openStoredFile(file, { type: 'application/pdf' })),
  );
  for (const file of files) form.append('page', file);
  return encodeForm(form);
}
