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
import { PAGE_FACTS } from '../../support/page-facts.ts';
import {
  misbehavingServer,
  type MisbehavingServer,
} from '../../service/processor/misbehaving-server.ts';

/** Stands in for a processor: every document that it makes has so many bytes. */
export function startStandIn(bytes: number): Promise<MisbehavingServer> {
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
