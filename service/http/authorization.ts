import { createHash, timingSafeEqual } from 'node:crypto';
import type { Context, Middleware, Next } from 'koa';
import { Failure } from '../../helpers/failure.ts';
import type { SecretReader } from '../destinations/secrets.ts';

/** Name of the secret that callers must present, where an operator has set one; also as SCAN_API_TOKEN. */
const CALLER_TOKEN_SECRET = 'scan_api_token';

/**
 * Where a caller token is configured, lets only callers pass that send `Authorization: Bearer <token>`. The token is read at
 * each request, so that it can be changed while the service runs.
 */
export function authorization(readSecret: SecretReader): Middleware {
  return async (ctx: Context, next: Next) => {
    const token = await readSecret(CALLER_TOKEN_SECRET);
    if (token === undefined || isEqual(ctx.get('Authorization'), `Bearer ${token}`)) return next();
    throw new Failure(
      'unauthorized',
      'this service wants a token: send it as "Authorization: Bearer <token>" (secret scan_api_token or SCAN_API_TOKEN)',
    );
  };
}

/** Compares in constant time, whatever the lengths. */
function isEqual(a: string, b: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
