import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { callbackify } from 'node:util';

/** One request's claim on a replica. */
export interface Claim {
  /** Stands in for the look-up of the host name; rejects as that does. */
  readonly lookup: LookupFunction;
  /** To be called when the request has ended; `wasLost` when its connection could not be made, or broke. */
  readonly release: (wasLost: boolean) => void;
}

/** The replicas behind one host name, as Docker and Kubernetes name them: an address each. */
export interface Replicas {
  /** How many there are now; 1 where the name cannot be looked up. */
  count(): Promise<number>;
  /** Claims a replica for a request. */
  claim(): Claim;
}

/** How long a replica that lost a request is the last choice, in milliseconds: its address may be known for a while longer. */
const AVOIDED_MS = 10_000;

/**
 * Spreads requests over the addresses of a host name: each goes to the one with the fewest under way. Left to chance, one
 * replica would have a queue while another has nothing to do.
 */
export function createReplicas(
  host: string,
  resolve: (host: string) => Promise<LookupAddress[]> = (name) => lookup(name, { all: true }),
): Replicas {
  const underWay = new Map<string, number>();
  const lostAt = new Map<string, number>();

  const load = (address: string): number => underWay.get(address) ?? 0;
  // A machine may have an address of each family, and listen on one of them; IPv4 is what containers have.
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
