import type { Context, Middleware, Next } from 'koa';
import { Failure } from '../../helpers/failure.ts';
import type { CallerToken } from './caller-token.ts';
import { hasSession, isEqual } from './session.ts';

/**
 * Where a caller token is configured, lets only callers pass that send `Authorization: Bearer <token>`, or the cookie of
 * POST /session.
 */
export function authorization(callerToken: CallerToken): Middleware {
  return (ctx: Context, next: Next) => {
    const token = requiredToken(callerToken);
    if (token === undefined) return next();
    if (isEqual(ctx.get('Authorization'), `Bearer ${token}`) || hasSession(ctx, token))
      return next();
    throw new Failure('unauthorized', 'Authentication required.', {
      remedy:
        'Send the header "Authorization: Bearer <token>" with the token of this service (secret scan_api_token).',
    });
  };
}

/** The token that callers must present; undefined where none is configured. Throws Failure `unauthorized` where it cannot be read. */
export function requiredToken(callerToken: CallerToken): string | undefined {
  const required = callerToken.required();
  if (required.state === 'none') return undefined;
  if (required.state === 'readable') return required.token;
  throw new Failure(
    'unauthorized',
    `The caller token that is configured for this service cannot be read now: ${required.reason}.`,
    {
      remedy:
        'Correct the secret scan_api_token; to run without a token, remove it and restart the service.',
    },
  );
}
