import type { Context, Middleware, Next } from 'koa';
import { errorBody, Failure } from '../failure.ts';
import type { Log } from '../log.ts';
import { requestPath } from './access-log.ts';

/** Thrown where the client is gone and nothing can be answered. */
export class ClientGone extends Error {
  constructor() {
    super('the client closed the connection');
    this.name = 'ClientGone';
  }
}

/** What a program says in its own words. */
export interface ErrorWords {
  /** A sentence that says where to find the endpoints. */
  readonly endpoints: string;
  /** What its log is called. */
  readonly logName: string;
  /** The failure that an error of the system means; undefined for a bug. */
  readonly failureOf?: (error: unknown) => Failure | undefined;
  /** Connections whose body was not read are closed: what is left of it may be large. */
  readonly dropsBodies?: boolean;
}

/**
 * First middleware: turns every error below it into the one error envelope
 * `{"error": code, "message": what happened and what to do, …facts}`. A bug is answered 500; only the log says what it is.
 */
export function errorAnswers(log: Log, words: ErrorWords): Middleware {
  return async (ctx: Context, next: Next) => {
    try {
      await next();
      const failure = unanswered(ctx, words);
      if (failure) throw failure;
    } catch (error) {
      if (error instanceof ClientGone) return;
      const failure = toFailure(error, log, words);
      if (failure.code === 'unauthorized') ctx.set('WWW-Authenticate', 'Bearer');
      if (words.dropsBodies && !ctx.req.complete) ctx.set('Connection', 'close');
      ctx.status = failure.status;
      ctx.body = errorBody(failure);
    }
  };
}

/** The failure of a request that no route has answered: an unknown path or method. */
function unanswered(ctx: Context, { endpoints }: ErrorWords): Failure | undefined {
  if (ctx.body !== undefined) return undefined;
  const path = requestPath(ctx.req);
  if (ctx.status === 404) return new Failure('not_found', `Not found: ${path}. ${endpoints}`);
  if (ctx.status !== 405 && ctx.status !== 501) return undefined;
  const what = `${path} does not support ${ctx.method}.`;
  return new Failure('method_not_allowed', what, { remedy: 'See the Allow header.' });
}

function toFailure(error: unknown, log: Log, { logName, failureOf }: ErrorWords): Failure {
  const known = error instanceof Failure ? error : failureOf?.(error);
  if (known) return known;
  log.error({ event: 'internal_error', err: error }, 'internal error');
  const remedy = `See the ${logName}.`;
  return new Failure('internal_error', 'Internal error.', { remedy, cause: error });
}
