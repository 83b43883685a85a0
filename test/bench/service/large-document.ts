import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  PAGE_COUNT_HEADER,
  PAGE_FACTS_HEADER,
  WARNINGS_HEADER,
  writePageFacts,
  writeWarnings,
} from '../../../helpers/processor-contract.ts';
import {
  type MisbehavingServer,
  misbehavingServer,
} from '../../service/processor/misbehaving-server.ts';
import { PAGE_FACTS } from '../../support/page-facts.ts';
import { shippedPage } from '../../support/pages.ts';
import { peakMb, resetPeak } from '../process-tree.ts';
import { startDeployedAppliance } from './deployed-service.ts';

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
    serviceEnvironment: { PROCESSOR_URL: processor.url.href, LOG_LEVEL: 'info' },
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

/** Stands in for a processor: every document that it makes has so many bytes. */
function startStandIn(bytes: number): Promise<MisbehavingServer> {
  return misbehavingServer((request, response) => {
    answer(request, response, bytes).catch(() => response.destroy());
  });
}

/** The three routes of the processor (helpers/processor/http/app.ts). */
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
    [PAGE_COUNT_HEADER]: '1',
    [PAGE_FACTS_HEADER]: writePageFacts(PAGE_FACTS),
    [WARNINGS_HEADER]: writeWarnings([]),
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
