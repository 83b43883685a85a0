import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { callbackify } from 'node:util';

export interface Claim {
  /** Looks up the host name of a request. Rejects like Node's lookup. */
  readonly lookup: LookupFunction;
  /** Call this after the request. `wasLost` is true if its connection failed. */
  readonly release: (wasLost: boolean) => void;
}

/** The processors behind a host name: each has an address, as in Docker and Kubernetes. */
export interface Replicas {
  /** Returns 1 if the lookup fails. */
  count(): Promise<number>;
  claim(): Claim;
}

/** A replica that lost a request is avoided while DNS may still list it. */
const AVOIDED_MS = 10_000;

/** Prefers the replica with the fewest running requests. A random choice would leave some idle. */
export function createReplicas(
  host: string,
  resolve: (host: string) => Promise<LookupAddress[]> = (name) => lookup(name, { all: true }),
): Replicas {
  const underWay = new Map<string, number>();
  const lostAt = new Map<string, number>();

  const load = (address: string): number => underWay.get(address) ?? 0;
  // Prefers IPv4. A machine may listen on one family only, and containers use IPv4.
  const rank = ({ address, family }: LookupAddress): number => {
    if (performance.now() - (lostAt.get(address) ?? -Infinity) < AVOIDED_MS) return 2;
    return family === 4 ? 0 : 1;
  };

  return {
    count: async () => {
      const addresses = await resolve(host).catch(() => []);
      const four = addresses.filter(({ family }) => family === 4);
      const ofOneFamily = four.length > 0 ? four : addresses;
      return Math.max(1, new Set(ofOneFamily.map(({ address }) => address)).size);
    },
    claim: () => {
      let claimed: string | undefined;
      const pick = async (name: string): Promise<LookupAddress> => {
        const addresses = await resolve(name);
        const [best] = addresses.toSorted(
          (a, b) => rank(a) - rank(b) || load(a.address) - load(b.address),
        );
        if (!best) {
          throw Object.assign(new Error(`${name} has no address`), { code: 'ENOTFOUND' });
        }
        if (claimed === undefined) underWay.set(best.address, load(best.address) + 1);
        claimed ??= best.address;
        return best;
      };
      return {
        lookup: (name, { all }, callback) => {
          callbackify(pick)(name, (error: Error | null, best) => {
            if (error) callback(error, '', 0);
            else if (all) callback(null, [best]);
            else callback(null, best.address, best.family);
          });
        },
        release: (wasLost) => {
          if (claimed === undefined) return;
          underWay.set(claimed, load(claimed) - 1);
          if (wasLost) lostAt.set(claimed, performance.now());
          else lostAt.delete(claimed);
        },
      };
    },
  };
}
