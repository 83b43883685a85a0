import type { Context, Middleware, Next } from 'koa';
import type { Log } from '../log.ts';
import { requestPath } from './request-path.ts';

/** Asked by probes every few seconds: logged at level debug. */
const HEALTH_CHECKS: readonly string[] = ['/health', '/ready'];

/**
 * Logs one line per request when its answer was sent or its connection broke: method, path without the query, status,
 * milliseconds and the address of the client. `aborted` says that the caller did not get the whole answer.
 */
export function accessLog(log: Log): Middleware {
  return (ctx: Context, next: Next) => {
    const began = performance.now();
    const path = requestPath(ctx.req);
    ctx.res.once('close', () => {
      const { method, status } = ctx;
      const line = {
        event: 'request',
        method,
        path,
        status,
        ms: Math.round(performance.now() - began),
        client: ctx.req.socket.remoteAddress ?? 'unknown',
        ...(!ctx.res.writableFinished && { aborted: true }),
      };
      log[HEALTH_CHECKS.includes(path) ? 'debug' : 'info'](line, 'request');
    });
    return next();
  };
}
