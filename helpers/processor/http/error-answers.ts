import type { Context, Middleware, Next } from 'koa';
import { errorCode } from '../../error-code.ts';
import type { Log } from '../../log.ts';
import { errorBody, Failure } from '../../failure.ts';
import { storageFull } from '../tools/workspaces.ts';
import { ClientGone } from './request-queue.ts';

/** First middleware: whatever goes wrong becomes `{"error": code, "message": what happened and what to do}`. */
export function errorAnswers(log: Log): Middleware {
  return async (ctx: Context, next: Next) => {
    try {
      await next();
      const failure = unanswered(ctx);
      if (failure) throw failure;
    } catch (error) {
      if (error instanceof ClientGone) {
        return; // no one would read an answer
      }
      const failure = toFailure(error, log);
      // What was not read of the body is not waited for.
      if (!ctx.req.complete) ctx.set('Connection', 'close');
      ctx.status = failure.status;
      ctx.body = errorBody(failure);
    }
  };
}

/** What the router leaves without a body: a path or a method that is not there. */
function unanswered(ctx: Context): Failure | undefined {
  if (ctx.body !== undefined) return undefined;
  if (ctx.status === 404)
    return new Failure(
      'not_found',
      `Not found: ${ctx.path}. There are /health, /pages and /documents.`,
    );
  if (ctx.status === 405 || ctx.status === 501) {
    const code = ctx.status === 405 ? 'method_not_allowed' : 'not_implemented';
    return new Failure(code, `${ctx.path} does not support ${ctx.method}. See the Allow header.`);
  }
  return undefined;
}

function toFailure(error: unknown, log: Log): Failure {
  if (error instanceof Failure) return error;
  const code = errorCode(error);
  if (code === 'ENOSPC' || code === 'EDQUOT') return storageFull(error);
  log.error({ event: 'internal_error', err: error }, 'a request ended in a bug');
  return new Failure('internal_error', 'Internal error. See the log of the processor.', {
    cause: error,
  });
}
