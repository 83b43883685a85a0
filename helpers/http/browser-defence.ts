import { isIP } from 'node:net';
import type { Context, Middleware, Next } from 'koa';
import { Failure } from '../failure.ts';

/**
 * Suffixes that home routers append to host names. Nobody on the internet can own such a name:
 * routers resolve fritz.box themselves, and the other suffixes are reserved or not delegated.
 */
const HOME_SUFFIXES = ['local', 'lan', 'home.arpa', 'internal', 'localdomain', 'fritz.box'];

/** Forbid type sniffing, framing and caching. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cache-Control': 'no-store',
};

export function securityHeaders(ctx: Context, next: Next): Promise<void> {
  ctx.set({ ...SECURITY_HEADERS });
  return next();
}

/**
 * Protects against websites that send requests through a browser on the LAN.
 *
 * - `Host` must be an address, a name without dots such as localhost, a name under HOME_SUFFIXES,
 *   or allowed by the operator. With DNS rebinding, the browser sends the attacker's host name.
 *   (CUPS has the same rule, scheduler/client.c.)
 * - A foreign `Origin`, or `Sec-Fetch-Site` cross-site or same-site, is rejected, except when
 *   following a link, which changes nothing.
 */
export function browserDefence(allowedHosts: readonly string[]): Middleware {
  return (ctx: Context, next: Next) => {
    checkHost(ctx, allowedHosts);
    checkOrigin(ctx);
    return next();
  };
}

function checkHost(ctx: Context, allowedHosts: readonly string[]): void {
  const names = ctx.req.rawHeaders.filter(
    (name, index) => index % 2 === 0 && name.toLowerCase() === 'host',
  );
  const match = /^(?<host>\[[0-9a-f:.%]+\]|[^:[\]]+)(?::\d{1,5})?$/i.exec(ctx.get('Host'));
  const host = match?.groups?.['host']?.toLowerCase();
  if (names.length === 1 && host !== undefined && isOwnName(host, allowedHosts)) return;
  throw new Failure(
    'misdirected_host',
    `The Host header "${ctx.get('Host').slice(0, 100)}" is not a name of this service. Use its IP address, ` +
      `its bare name, a name that ends in .${HOME_SUFFIXES.join(', .')}, or add the name to ALLOWED_HOSTS.`,
  );
}

function isOwnName(host: string, allowedHosts: readonly string[]): boolean {
  const isName = /^[a-z0-9._-]+$/.test(host);
  const isHomeName = HOME_SUFFIXES.some((suffix) => `.${host}`.endsWith(`.${suffix}`));
  const isAddress = isIP(host.replaceAll(/^\[|\]$/g, '')) !== 0;
  return (
    isAddress || (isName && (isHomeName || !host.includes('.'))) || allowedHosts.includes(host)
  );
}

function checkOrigin(ctx: Context): void {
  const origin = ctx.get('Origin');
  const isForeign = origin !== '' && URL.parse(origin)?.host !== ctx.get('Host').toLowerCase();
  const site = ctx.get('Sec-Fetch-Site');
  const followsLink = ctx.method === 'GET' && ctx.get('Sec-Fetch-Mode') === 'navigate';
  const isCrossSite = (site === 'cross-site' || site === 'same-site') && !followsLink;
  if (!isForeign && !isCrossSite) return;
  throw new Failure(
    'forbidden_origin',
    'This request was made by a web page of another site. Open the page of this service itself, or call it outside a browser.',
  );
}
