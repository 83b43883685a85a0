import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { shippedPage } from '../../support/pages.ts';
import { peakMb, resetPeak } from '../process-tree.ts';
import { startDeployedAppliance } from './deployed-appliance.ts';

const MB = 1_000_000;

export interface LargeDocument {
  readonly document_mb: number;
  /** Largest resident memory of the service while it received, stored and delivered the document. */
  readonly service_peak_mb: number;
  readonly seconds: number;
}

/**
 * A scan whose document has so many megabytes: a stand-in for the processor answers with it, everything else is real.
 */
export async function measureLargeDocument(megabytes: number): Promise<LargeDocument> {
  const processor = await startStandIn(megabytes * MB);
  const appliance = await startDeployedAppliance({
    profiles: [{ name: 'default', source: 'ADF', resolution: 100, page_size: 'a5' }],
    serviceEnvironment: { PROCESSOR_URL: processor.url, LOG_LEVEL: 'info' },
  });
  try {
    appliance.scanner.load([shippedPage('receipt').file]);
    resetPeak(appliance.service.pid());
    const began = performance.now();
    const answer = await appliance.scan({});
    const seconds = (performance.now() - began) / 1000;
    const [upload] = appliance.dms.uploads();
    if (answer.status !== 200 || upload?.bytes !== megabytes * MB) {
      throw new Error(`the large document was not delivered: ${answer.text}`);
    }
    return { document_mb: megabytes, service_peak_mb: peakMb(appliance.service.pid()), seconds };
  } finally {
    await appliance.close();
    await processor.close();
  }
}

async function startStandIn(bytes: number): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    answer(request, response, bytes).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return { url: `http://127.0.0.1:${port}`, close: () => closeServer(server) };
}

/** The three routes of the processor (helpers/processor/app.ts). */
async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  bytes: number,
): Promise<void> {
  for await (const chunk of request) void chunk;
  if (request.url === '/health') {
    const health = { status: 'ok', versions: {}, languages: ['eng', 'osd'], workers: 1 };
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify(health));
    return;
  }
  const length = request.url === '/documents' ? bytes : 1000;
  response.writeHead(200, {
    'Content-Type': 'application/pdf',
    'Content-Length': length,
    'X-Page-Warnings': '[]',
    'X-Page-Turned': '0.00',
    'X-Document-Warnings': '[]',
    'X-Page-Count': '1',
  });
  await pipeline(Readable.from(pdfOf(length)), response);
}

function* pdfOf(bytes: number): Generator<Buffer> {
  const chunk = Buffer.alloc(65_536, 'x');
  const first = Buffer.from('%PDF-1.7\n');
  yield first;
  for (let left = bytes - first.length; left > 0; left -= chunk.length) {
    yield chunk.subarray(0, Math.min(left, chunk.length));
  }
}

async function closeServer(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
