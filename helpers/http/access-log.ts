import type { IncomingMessage } from 'node:http';
import type { Context, Middleware, Next } from 'koa';
import type { Log } from '../log.ts';

/** Requested by probes every few seconds, so logged at debug level. */
const PROBES: readonly string[] = ['/health', '/ready', '/metrics'];

/**
 * Logs one line per request after the response is sent or the connection breaks: method, path
 * without query, status, milliseconds and client address. `aborted` means the response was
 * incomplete.
 */
export function accessLog(log: Log): Middleware {
  return (ctx: Context, next: Next) => {
    const began = performance.now();
    const path = requestPath(ctx.req);
    // Read now: the request has no socket after its body was abandoned.
    const client = ctx.req.socket.remoteAddress ?? 'unknown';
    ctx.res.once('close', () => {
      const { method, status } = ctx;
      const line = {
        event: 'request',
        method,
        path,
        status,
        ms: Math.round(performance.now() - began),
        client,
        ...(!ctx.res.writableFinished && { aborted: true }),
      };
      log[PROBES.includes(path) ? 'debug' : 'info'](line, 'request');
    });
    return next();
  };
}

/** Longest path in logs and responses, in characters. */
const MAX_PATH = 200;

/** The request path without the query. Koa's own path is null if the URL has none. */
export function requestPath({ url = '' }: IncomingMessage): string {
  return url.replace(/\?.*$/s, '').slice(0, MAX_PATH);
}
