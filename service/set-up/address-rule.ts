import { lookup as lookUp } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

export const REFUSED_ADDRESS = 'ERR_REFUSED_ADDRESS';

/** Refused: callers could reach local programs, or cloud metadata (169.254.169.254). */
const REFUSED_IPV4 = [
  ['0.0.0.0', 8],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const;

const REFUSED_IPV6 = [
  // Also the deprecated spelling of IPv4 addresses, such as ::127.0.0.1.
  ['::', 96],
  ['fe80::', 10],
  ['ff00::', 8],
] as const;

/** Prefixes of IPv6 addresses that a gateway translates to the IPv4 address after them. */
const TRANSLATED = ['64:ff9b::', '64:ff9b:1::', '::ffff:0:'];

const refused = new BlockList();
for (const [network, prefix] of REFUSED_IPV4) {
  refused.addSubnet(network, prefix, 'ipv4');
  for (const before of TRANSLATED) refused.addSubnet(`${before}${network}`, 96 + prefix, 'ipv6');
  refused.addSubnet(`2002:${hexOf(network)}::`, 16 + prefix, 'ipv6');
}
for (const [network, prefix] of REFUSED_IPV6) refused.addSubnet(network, prefix, 'ipv6');

function hexOf(address: string): string {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
  return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
}

/** Also recognizes IPv4 addresses in IPv6 form. */
export function isRefused(address: string): boolean {
  return refused.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

/** Only for addresses. Names are checked by `guardedLookup`. */
export function hasRefusedHost({ hostname }: URL): boolean {
  const host = hostname.replaceAll(/^\[|\]$/gu, '');
  return isIP(host) !== 0 && isRefused(host);
}

/**
 * Fails if any address of the name is refused. Otherwise, the connection uses these checked
 * addresses.
 */
export const guardedLookup: LookupFunction = (hostname, options, callback) => {
  lookUp(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return callback(error, '');
    const [first] = addresses;
    if (first === undefined || addresses.some(({ address }) => isRefused(address))) {
      const refusal = new Error('an address of this name may not be asked');
      return callback(Object.assign(refusal, { code: REFUSED_ADDRESS }), '');
    }
    if (options.all === true) return callback(null, addresses);
    return callback(null, first.address, first.family);
  });
};
