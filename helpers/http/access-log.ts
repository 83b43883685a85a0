import type { IncomingMessage } from 'node:http';
import type { Context, Middleware, Next } from 'koa';
import type { Log } from '../log.ts';

/** Requested every few seconds, so logged at debug level only. */
const PROBES: readonly string[] = ['/health', '/ready', '/metrics'];

/** Logs each request after its response, or when the connection breaks (`aborted`). */
export function accessLog(log: Log): Middleware {
  return (ctx: Context, next: Next) => {
    const began = performance.now();
    const path = requestPath(ctx.req);
    // An abandoned body detaches the socket, so the address must be read now.
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

const MAX_PATH = 200;

/** The path without the query, shortened. Koa's own is null for a URL without a path. */
export function requestPath({ url = '' }: IncomingMessage): string {
  return url.replace(/\?.*$/s, '').slice(0, MAX_PATH);
}
