import type { Destination } from '../paperless/destination.ts';
import type { DestinationSlots } from './scan-record.ts';

/**
 * Deliveries are kept by slot, not by place in the profile, because the profile may be corrected between two calls and a
 * destination that accepted a document must never be sent it again. A destination keeps the slot of its base address. One
 * whose address is new takes the slot of a destination that the new settings no longer name: most likely its address was
 * corrected, or the system moved. Only a destination beyond those gets a slot of its own.
 */
export function assignSlots(
  destinations: readonly Pick<Destination, 'base_url'>[],
  before: DestinationSlots = { addresses: [], current: [] },
): DestinationSlots {
  const addresses = [...before.addresses];
  const taken = new Set<number>();
  const claim = (slot: number): number => {
    taken.add(slot);
    return slot;
  };
  const wanted = destinations.map(({ base_url: url }) => addressOf(url));
  const known = wanted.map((address) => {
    const slot = addresses.findIndex((other, index) => other === address && !taken.has(index));
    return slot === -1 ? undefined : claim(slot);
  });
  const current = wanted.map((address, index) => {
    const slot = known[index] ?? claim(nextFree(before.current, taken) ?? addresses.length);
    addresses[slot] = address;
    return slot;
  });
  return { addresses, current };
}

function nextFree(slots: readonly number[], taken: ReadonlySet<number>): number | undefined {
  return slots.find((slot) => !taken.has(slot));
}

/** Without the differences that lead to the same place. A kind of destination that is not known yet may have no address. */
function addressOf(baseUrl: unknown): string {
  const address = String(baseUrl);
  return (URL.parse(address)?.href ?? address).replace(/\/+$/, '');
}
