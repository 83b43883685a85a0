import { createHash, timingSafeEqual } from 'node:crypto';
import type { Context, Middleware, Next } from 'koa';
import { Failure } from '../../helpers/failure.ts';
import type { CallerToken } from './caller-token.ts';

/** Where a caller token is configured, lets only callers pass that send `Authorization: Bearer <token>`. */
export function authorization(callerToken: CallerToken): Middleware {
  return (ctx: Context, next: Next) => {
    const required = callerToken.required();
    if (required.state === 'none') return next();
    if (required.state === 'unreadable') {
      throw new Failure(
        'unauthorized',
        `The caller token that is configured for this service cannot be read now: ${required.reason}. ` +
          'Correct the secret scan_api_token; to run without a token, remove it and restart the service.',
      );
    }
    if (isEqual(ctx.get('Authorization'), `Bearer ${required.token}`)) return next();
    throw new Failure(
      'unauthorized',
      'Authentication required. Send the header "Authorization: Bearer <token>" with the token of this service (secret scan_api_token).',
    );
  };
}

/** Compares in constant time, whatever the lengths. */
function isEqual(a: string, b: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
