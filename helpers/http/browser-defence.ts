import { isIP } from 'node:net';
import type { Context, Middleware, Next } from 'koa';
import { Failure } from '../failure.ts';

/**
 * What home routers append to the names of machines. No one on the internet can own a name under one of them: fritz.box is
 * answered by the router itself, the others are reserved or not delegated.
 */
const HOME_SUFFIXES = ['local', 'lan', 'home.arpa', 'internal', 'localdomain', 'fritz.box'];

/** Sent with every answer: nothing sniffs, frames or keeps it. */
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
 * Keeps web pages on the internet from using the browser of a person on the LAN against the appliance.
 *
 * - `Host` must be an address literal, a bare name such as localhost, a name under one of HOME_SUFFIXES, or allowed by the
 *   operator: a page whose DNS name was rebound to the appliance's address still sends its own name (the rule of CUPS,
 *   scheduler/client.c).
 * - A foreign `Origin`, or `Sec-Fetch-Site` cross-site or same-site, is refused. Only following a link, which reads and
 *   changes nothing, is allowed.
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
