import type { Context, Middleware, Next } from 'koa';
import { errorBody, Failure } from '../../helpers/failure.ts';
import type { Log } from '../../helpers/log.ts';
import { requestPath } from '../../helpers/http/access-log.ts';

/**
 * Turns every error below it into the one error envelope
 * `{"error": code, "message": what happened and what to do, …facts}`. A bug is answered 500; only the log says what it is.
 */
export function errorEnvelope(log: Log): Middleware {
  return async (ctx: Context, next: Next) => {
    try {
      await next();
      const failure = unanswered(ctx);
      if (failure) throw failure;
    } catch (error) {
      const failure = toFailure(error, log);
      if (failure.code === 'unauthorized') ctx.set('WWW-Authenticate', 'Bearer');
      ctx.status = failure.status;
      ctx.body = errorBody(failure);
    }
  };
}

/** The failure of a request that no route has answered: an unknown path or method. */
function unanswered(ctx: Context): Failure | undefined {
  if (ctx.body !== undefined) return undefined;
  const path = requestPath(ctx.req);
  if (ctx.status === 404) {
    return new Failure('not_found', `Not found: ${path}. See /docs for the available endpoints.`);
  }
  if (ctx.status === 405 || ctx.status === 501) {
    const message = `${path} does not support ${ctx.method}. See the Allow header and /docs.`;
    return new Failure('method_not_allowed', message);
  }
  return undefined;
}

function toFailure(error: unknown, log: Log): Failure {
  if (error instanceof Failure) return error;
  log.error({ event: 'internal_error', err: error }, 'internal error');
  return new Failure('internal_error', 'Internal error. See the service log.', { cause: error });
}
