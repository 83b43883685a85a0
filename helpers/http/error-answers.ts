import type { Context, Middleware, Next } from 'koa';
import { errorBody, Failure } from '../failure.ts';
import type { Log } from '../log.ts';
import { requestPath } from './access-log.ts';

/** The client has disconnected. */
export class ClientGone extends Error {
  constructor() {
    super('the client closed the connection');
    this.name = 'ClientGone';
  }
}

export interface ErrorWords {
  readonly endpoints: string;
  readonly logName: string;
  /** Maps a system error to a failure. Undefined for bugs. */
  readonly failureOf?: (error: unknown) => Failure | undefined;
  /** Closes the connection, since the rest of an unread body may be large. */
  readonly dropsBodies?: boolean;
}

/** Turns errors into `{"error": code, "message": …, …facts}`. The log has details of bugs. */
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
