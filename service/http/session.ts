import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { Context } from 'koa';

/** A browser cannot send the caller token with pictures and links: this cookie stands for it. */
const SESSION_COOKIE = 'scan_session';

/** Half a year: the phone beside the scanner should not ask again. */
const SESSION_MS = 182 * 24 * 60 * 60 * 1000;

/**
 * Gives the browser the cookie. It ends when the token is changed, and scripts cannot read it. A browser that reached the page
 * through a TLS proxy says so in `Origin`, and then sends the cookie by TLS only.
 */
export function beginSession(ctx: Context, token: string): void {
  ctx.cookies.secure = ctx.get('Origin').startsWith('https:');
  ctx.cookies.set(SESSION_COOKIE, sessionOf(token), {
    httpOnly: true,
    sameSite: 'strict',
    maxAge: SESSION_MS,
  });
}

/** Whether the request has the cookie for this token. */
export function hasSession(ctx: Context, token: string): boolean {
  return isEqual(ctx.cookies.get(SESSION_COOKIE) ?? '', sessionOf(token));
}

function sessionOf(token: string): string {
  return createHmac('sha256', token).update('session of the scan service').digest('base64url');
}

/** Whether two texts are equal, in a time that does not say where they differ. */
export function isEqual(a: string, b: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
