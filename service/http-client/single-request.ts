import { once } from 'node:events';
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import got, { type Request, type Response } from 'got';

/**
 * Got for requests that are sent once, each on a connection of its own: nothing is repeated, redirected or unpacked, and
 * every status is an answer. Got checks each option at each call: what is given here is checked once.
 */
export const singleRequest = got.extend({
  headers: { 'accept-encoding': 'identity', 'user-agent': 'scan-service' },
  agent: {
    http: new HttpAgent({ keepAlive: false }),
    https: new HttpsAgent({ keepAlive: false }),
  },
  followRedirect: false,
  retry: { limit: 0 },
  throwHttpErrors: false,
  decompress: false,
});

/** The head of the answer to a stream. Rejects with the first error of the stream; a later one is ignored. */
export async function responseOf(stream: Request): Promise<Response> {
  // Without a listener, an error after the first would end the process.
  stream.on('error', () => {});
  const [response]: Response[] = await once(stream, 'response');
  if (response === undefined) throw new Error('no response');
  return response;
}

/** Ids, messages and error pages have a few thousand bytes at most; what is beyond is not read. */
const MAX_TEXT_BYTES = 65_536;

/** The body of an answer as text, at most `maxBytes` (65,536) of it. One that breaks off is an error, unless `mayBreakOff`. */
export async function readText(
  stream: AsyncIterable<Buffer>,
  {
    mayBreakOff,
    maxBytes = MAX_TEXT_BYTES,
  }: { readonly mayBreakOff: boolean; readonly maxBytes?: number | undefined },
): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of stream) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= maxBytes) break;
    }
  } catch (error) {
    if (!mayBreakOff) throw error;
  }
  return Buffer.concat(chunks).toString('utf8', 0, maxBytes);
}
