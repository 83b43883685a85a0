import type { Context, Middleware, Next } from 'koa';
import bodyParser from 'koa-bodyparser';
import { Failure } from '../../helpers/failure.ts';

/** Maximum size of a body. A scan request has a few hundred bytes, more with custom fields. */
const MAX_BODY = '64kb';

/** Accepts only `application/json`, which other sites cannot send without a CORS preflight. */
export function jsonBody(): Middleware {
  const parse = bodyParser({
    enableTypes: ['json'],
    jsonLimit: MAX_BODY,
    strict: true,
    onerror: (cause: Error & { status?: number }) => {
      // If the caller is at fault, the error has a status. Otherwise, descriptors may have run out.
      if (cause.status === undefined) throw cause;
      if (cause.status !== 413) throw new Failure('invalid_body', NO_OBJECT, { cause });
      const message = `The body is larger than ${MAX_BODY}. Send only the fields of the request.`;
      throw new Failure('body_too_large', message, { cause });
    },
  });
  return (ctx: Context, next: Next) => {
    const type = ctx.get('Content-Type').split(';')[0]?.trim().toLowerCase();
    if (type !== 'application/json') throw new Failure('unsupported_media_type', OTHER_TYPE);
    if (ctx.get('Content-Encoding') === '') return parse(ctx, next);
    throw new Failure('unsupported_media_type', COMPRESSED);
  };
}

const NO_OBJECT = 'The body is not a JSON object. Check its brackets, commas and quotes.';
const OTHER_TYPE =
  'The body is not JSON. Send it with the header "Content-Type: application/json".';
const COMPRESSED = 'The body is compressed. Send it without a Content-Encoding.';
