import { lookup as lookUp } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

export const REFUSED_ADDRESS = 'ERR_REFUSED_ADDRESS';

/** Refused: callers could reach local programs, or cloud metadata (169.254.169.254). */
const refused = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const) {
  refused.addSubnet(network, prefix, 'ipv4');
}
for (const [network, prefix] of [
  ['::', 128],
  ['::1', 128],
  ['fe80::', 10],
  ['ff00::', 8],
] as const) {
  refused.addSubnet(network, prefix, 'ipv6');
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
