import { lookup } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';

/** An address of the processor's host name. */
export interface Address {
  readonly address: string;
  readonly family: number;
}

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
  resolve: (host: string) => Promise<readonly Address[]> = (name) => lookup(name, { all: true }),
): Replicas {
  const underWay = new Map<string, number>();
  const lostAt = new Map<string, number>();

  const isAvoided = ({ address }: Address): boolean =>
    performance.now() - (lostAt.get(address) ?? -Infinity) < AVOIDED_MS;
  const load = ({ address }: Address): number => underWay.get(address) ?? 0;

  function choose(addresses: readonly Address[]): Address | undefined {
    const [good] = [ofOneFamily(addresses), addresses]
      .map((some) => some.filter((address) => !isAvoided(address)))
      .filter((some) => some.length > 0);
    return (good ?? addresses).toSorted((a, b) => load(a) - load(b))[0];
  }

  function add(address: string, change: 1 | -1): void {
    const now = (underWay.get(address) ?? 0) + change;
    if (now > 0) underWay.set(address, now);
    else underWay.delete(address);
  }

  return {
    count: async () => {
      const addresses = await resolve(host).catch(() => []);
      return Math.max(1, new Set(ofOneFamily(addresses).map(({ address }) => address)).size);
    },
    claim: () => {
      let claimed: string | undefined;
      const pick = async (name: string): Promise<Address> => {
        const chosen = choose(await resolve(name));
        if (!chosen) throw noAddress(name);
        if (claimed === undefined) add(chosen.address, 1);
        claimed ??= chosen.address;
        return chosen;
      };
      return {
        lookup: (name, options, callback) => void answer(pick(name), options, callback),
        release: (wasLost) => {
          if (claimed === undefined) return;
          add(claimed, -1);
          if (wasLost) lostAt.set(claimed, performance.now());
          else lostAt.delete(claimed);
        },
      };
    },
  };
}

/** Hands an address to Node, in the shape that it asked for. */
async function answer(
  picked: Promise<Address>,
  { all }: Parameters<LookupFunction>[1],
  callback: Parameters<LookupFunction>[2],
): Promise<void> {
  try {
    const { address, family } = await picked;
    if (all) callback(null, [{ address, family }]);
    else callback(null, address, family);
  } catch (error) {
    callback(error instanceof Error ? error : new Error(String(error)), '', 0);
  }
}

/** A machine may have an address of each family, and listen on one of them; IPv4 is what containers have. */
function ofOneFamily(addresses: readonly Address[]): readonly Address[] {
  const four = addresses.filter(({ family }) => family === 4);
  return four.length > 0 ? four : addresses;
}

function noAddress(host: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${host} has no address`), { code: 'ENOTFOUND' });
}
