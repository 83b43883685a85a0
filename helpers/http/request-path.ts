import type { IncomingMessage } from 'node:http';

/** Longest path that is logged or named in an answer, in characters. */
const MAX_PATH = 200;

/** The path of a request as it was sent, without the query. Koa's own is null for an address without one. */
export function requestPath({ url = '' }: IncomingMessage): string {
  return url.replace(/\?.*$/s, '').slice(0, MAX_PATH);
}
