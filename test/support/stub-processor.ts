import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  PAGE_COUNT_HEADER,
  PAGE_FACTS_HEADER,
  WARNINGS_HEADER,
  writePageFacts,
  writeWarnings,
} from '../../helpers/processor-contract.ts';
import { PAGE_FACTS } from './page-facts.ts';
import { serve } from './serve.ts';
import { smallPdfInPieces } from './small-pdf.ts';

/** A processor over HTTP for tests that need no OCR. Answers at once. */
export interface StubProcessor {
  readonly url: string;
  readonly port: number;
  /** Called after a request has been read and before it is answered. */
  onRequest: (kind: 'pages' | 'documents') => void;
  pageBytes: number;
  documentBytes?: number;
  readonly hangUp: () => void;
  readonly close: () => Promise<void>;
}

/** The same pages always produce the same document, byte for byte. */
export async function createStubProcessor(): Promise<StubProcessor> {
  const server = createServer((request, response) => {
    // An error of one client's connection must not stop the stub.
    answer(stub, request, response).catch(() => response.destroy());
  });
  const { url, port, close } = await serve(server);
  const stub: StubProcessor = {
    url,
    port,
    onRequest: () => {},
    pageBytes: 500,
    hangUp: () => server.closeAllConnections(),
    close,
  };
  return stub;
}

const HEALTH = { status: 'ok', versions: {}, languages: ['eng'], workers: 2 };

async function answer(
  stub: StubProcessor,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = (await request.toArray()).join('');
  if (request.url === '/health') return void response.end(JSON.stringify(HEALTH));
  const isPage = request.url?.startsWith('/pages') === true;
  stub.onRequest(isPage ? 'pages' : 'documents');
  const pages = isPage ? 1 : body.split('name="page"').length - 1;
  const bytes = (isPage ? undefined : stub.documentBytes) ?? stub.pageBytes;
  response.writeHead(200, {
    'Content-Type': 'application/pdf',
    'Content-Length': bytes * pages,
    [PAGE_COUNT_HEADER]: pages,
    [PAGE_FACTS_HEADER]: writePageFacts(PAGE_FACTS),
    [WARNINGS_HEADER]: writeWarnings([]),
  });
  await pipeline(Readable.from(smallPdfInPieces(pages, bytes * pages)), response);
}
