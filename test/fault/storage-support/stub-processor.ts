import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import {
  PAGE_COUNT_HEADER,
  PAGE_FACTS_HEADER,
  WARNINGS_HEADER,
  writePageFacts,
  writeWarnings,
} from '../../../helpers/processor-contract.ts';
import { PAGE_FACTS } from '../../support/page-facts.ts';

/** What stands in for the processor where OCR adds nothing: it answers at once, over HTTP, in its words. */
export interface StubProcessor {
  readonly url: string;
  readonly port: number;
  /** Called when a request has come whole, before it is answered. */
  onRequest: (kind: 'pages' | 'documents') => void;
  /** Bytes of a recognised page; a document has as many for each of its pages. */
  pageBytes: number;
  /** Ends every connection, as towards a client that is gone. */
  readonly hangUp: () => void;
  readonly close: () => Promise<void>;
}

/** Starts it on loopback. The same pages make the same document, byte for byte. */
export async function createStubProcessor(): Promise<StubProcessor> {
  const server = createServer((request, response) => {
    // A client that hangs up ends its own request and nothing else.
    answer(stub, request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  const stub: StubProcessor = {
    url: `http://127.0.0.1:${port}`,
    port,
    onRequest: () => {},
    pageBytes: 500,
    hangUp: () => server.closeAllConnections(),
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
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
  const pdf = `${'%PDF-1.7\n'.padEnd(stub.pageBytes * pages - 6, 'x')}%%EOF\n`;
  response.writeHead(200, {
    'Content-Type': 'application/pdf',
    'Content-Length': pdf.length,
    [PAGE_COUNT_HEADER]: pages,
    [PAGE_FACTS_HEADER]: writePageFacts(PAGE_FACTS),
    [WARNINGS_HEADER]: writeWarnings([]),
  });
  response.end(pdf);
}
