import type { Context, Middleware, Next } from 'koa';
import { Failure } from '../../helpers/failure.ts';
import type { Log } from '../../helpers/log.ts';

/**
 * First middleware: whatever goes wrong below becomes the one error envelope
 * `{"error": code, "message": what happened and what to do, …facts}`. A bug is answered 500 and told to the log only.
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

/** The error body of a failure. Facts never replace `error` and `message`. */
function errorBody(failure: Failure): Record<string, unknown> {
  return { ...failure.facts, error: failure.code, message: failure.message };
}

/** What the router leaves without a body: a path or a method that is not there. */
function unanswered(ctx: Context): Failure | undefined {
  if (ctx.body !== undefined) return undefined;
  if (ctx.status === 404) {
    return new Failure('not_found', `there is no ${ctx.path}: see /docs for what there is`);
  }
  if (ctx.status === 405 || ctx.status === 501) {
    const message = `${ctx.method} is not there for ${ctx.path}: see the Allow header and /docs`;
    return new Failure('method_not_allowed', message);
  }
  return undefined;
}

function toFailure(error: unknown, log: Log): Failure {
  if (error instanceof Failure) return error;
  log.error({ err: error }, 'a request ended in a bug');
  return new Failure('internal_error', 'a bug of the service: see its log', { cause: error });
}
