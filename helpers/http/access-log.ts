import type { IncomingMessage } from 'node:http';
import type { Context, Middleware, Next } from 'koa';
import type { Log } from '../log.ts';

/** Asked by probes and monitors every few seconds: logged at level debug. */
const PROBES: readonly string[] = ['/health', '/ready', '/metrics'];

/**
 * Logs one line per request when its answer was sent or its connection broke: method, path without the query, status,
 * milliseconds and the address of the client. `aborted` says that the caller did not get the whole answer.
 */
export function accessLog(log: Log): Middleware {
  return (ctx: Context, next: Next) => {
    const began = performance.now();
    const path = requestPath(ctx.req);
    // Now: a request whose body was given up has no socket any more.
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

/** Longest path that is logged or named in an answer, in characters. */
const MAX_PATH = 200;

/** The path of a request as it was sent, without the query. Koa's own is null for an address without one. */
export function requestPath({ url = '' }: IncomingMessage): string {
  return url.replace(/\?.*$/s, '').slice(0, MAX_PATH);
}
