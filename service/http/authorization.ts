import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { Context, Middleware, Next } from 'koa';
import { Failure } from '../../helpers/failure.ts';
import type { CallerToken } from './caller-token.ts';
import type { WrongTokens } from './wrong-tokens.ts';

/** If a token is set, requires `Authorization: Bearer <token>` or the session cookie. */
export function authorization(callerToken: CallerToken, wrongTokens: WrongTokens): Middleware {
  return (ctx: Context, next: Next) => {
    const token = requiredToken(callerToken);
    if (token === undefined) return next();
    if (isLetIn(ctx, token, wrongTokens)) return next();
    throw new Failure('unauthorized', 'Authentication required.', {
      remedy:
        'Send the header "Authorization: Bearer <token>" with the token of this service (secret scan_api_token).',
    });
  };
}

/** Returns the caller token, if one is set. Throws Failure `unauthorized` if it is unreadable. */
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

/** A browser cannot send the caller token for images and links, so it sends this cookie. */
const SESSION_COOKIE = 'scan_session';

/** Half a year, so that the phone beside the scanner stays logged in. */
const SESSION_MS = 182 * 24 * 60 * 60 * 1000;

/** Changing the token ends all sessions. Browsers that use TLS send the cookie over TLS only. */
export function beginSession(ctx: Context, token: string): void {
  ctx.cookies.secure = ctx.get('Origin').startsWith('https:');
  ctx.cookies.set(SESSION_COOKIE, sessionOf(token), {
    httpOnly: true,
    sameSite: 'strict',
    maxAge: SESSION_MS,
  });
}

/** Throws Failure `too_many_requests` after too many wrong tokens. Ignores Basic credentials. */
function isLetIn(ctx: Context, token: string, wrongTokens: WrongTokens): boolean {
  const header = ctx.get('Authorization');
  const cookie = ctx.cookies.get(SESSION_COOKIE) ?? '';
  const sent = [
    ...(/^bearer /i.test(header) ? [[header.slice('bearer '.length), token] as const] : []),
    ...(cookie === '' ? [] : [[cookie, sessionOf(token)] as const]),
  ];
  if (sent.length > 0) wrongTokens.check(ctx.ip);
  if (sent.some(([given, right]) => isEqual(given, right))) return true;
  for (const [given] of sent) wrongTokens.count(ctx.ip, given);
  return false;
}

function sessionOf(token: string): string {
  return createHmac('sha256', token).update('session of the scan service').digest('base64url');
}

export function isEqual(a: string, b: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
