import { once } from 'node:events';
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import got, { type Request, type Response } from 'got';

/**
 * Sends a request once, on a new connection, without redirects or decompression, and accepts any
 * status. As an instance, since Got checks options on every call.
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

/** Returns the response once its headers have arrived. Ignores errors after the first. */
export async function responseOf(stream: Request): Promise<Response> {
  // Without a listener, a second error would end the process.
  stream.on('error', () => {});
  const [response]: Response[] = await once(stream, 'response');
  if (response === undefined) throw new Error('no response');
  return response;
}

/** Ids, messages and error pages are shorter than this. */
const MAX_TEXT_BYTES = 65_536;

/** Reads at most `maxBytes`. Throws if the text is incomplete, unless `mayBreakOff`. */
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
