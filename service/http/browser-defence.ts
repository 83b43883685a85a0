import { isIP } from 'node:net';
import type { Context, Middleware, Next } from 'koa';
import { Failure } from '../../helpers/failure.ts';

/**
 * Keeps web pages on the internet from using the browser of somebody on the LAN against the appliance.
 *
 * - `Host` must be an address literal, localhost, a bare name, `*.local` or allowed by the operator: a page whose DNS name
 *   was rebound to the appliance's address still sends its own name (the rule of CUPS, scheduler/client.c).
 * - A foreign `Origin`, or `Sec-Fetch-Site` cross-site or same-site, is refused. Only following a link here, which
 *   reads nothing and changes nothing, is let through.
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
  const host = hostName(ctx.get('Host'));
  if (names.length === 1 && host !== undefined && isOwnName(host, allowedHosts)) return;
  throw new Failure(
    'misdirected_host',
    `the Host header "${ctx.get('Host').slice(0, 100)}" is not a name of this service: use its address, ` +
      'a bare or .local name, or add the name to ALLOWED_HOSTS',
  );
}

function isOwnName(host: string, allowedHosts: readonly string[]): boolean {
  const isBareName = /^[a-z0-9_-]+$/.test(host);
  return (
    isIP(host.replaceAll(/^\[|\]$/g, '')) !== 0 ||
    isBareName ||
    (host.endsWith('.local') && /^[a-z0-9._-]+$/.test(host)) ||
    allowedHosts.includes(host)
  );
}

/** Host name without the port, in lower case; undefined when the header is no host at all. */
function hostName(header: string): string | undefined {
  const match = /^(?<host>\[[0-9a-f:.%]+\]|[^:[\]]+)(?::\d{1,5})?$/i.exec(header);
  return match?.groups?.['host']?.toLowerCase();
}

function checkOrigin(ctx: Context): void {
  const origin = ctx.get('Origin');
  const isForeign = origin !== '' && originHost(origin) !== ctx.get('Host').toLowerCase();
  const site = ctx.get('Sec-Fetch-Site');
  const followsLink = ctx.method === 'GET' && ctx.get('Sec-Fetch-Mode') === 'navigate';
  const isCrossSite = (site === 'cross-site' || site === 'same-site') && !followsLink;
  if (!isForeign && !isCrossSite) return;
  throw new Failure(
    'forbidden_origin',
    'this request was made by a web page of another site, which may not use the scanner',
  );
}

/** Host and port of an Origin header; undefined for `null` and for what is no origin. */
function originHost(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}
