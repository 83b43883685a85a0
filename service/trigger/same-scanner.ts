import { comparableAddress, isDeviceName, networkAddress } from '../../helpers/device-names.ts';
import type { SensorReading } from '../../helpers/ipc/messages.ts';

type Identity = Pick<SensorReading, 'device' | 'address'>;

/** The last reading of a scanner, by its name in a profile. */
export type ReadingOf = (name: string) => Identity | undefined;

/** Compares SANE device names and network addresses. */
export function isSameScanner(one: Identity | undefined, other: Identity | undefined): boolean {
  if (!one || !other) return false;
  return (
    one.device === other.device || (one.address !== undefined && one.address === other.address)
  );
}

/** The name in a profile, and SANE's name if known. */
export interface NamedScanner {
  readonly named: string;
  readonly device?: string | undefined;
}

/** False only if the names certainly mean different scanners. */
export function maybeSameScanner(
  one: NamedScanner,
  other: NamedScanner,
  readingOf: ReadingOf,
): boolean {
  if (one.named.toLowerCase() === other.named.toLowerCase()) return true;
  const [first, second] = [one, other].map(
    ({ named, device = named }) => readingOf(named) ?? identityIn(device),
  );
  if (!first || !second || isSameScanner(first, second)) return true;
  return [first, second].every(isOnNetwork) && !(first.address && second.address);
}

/** Undefined for `auto` and parts of a model name. */
function identityIn(name: string): Identity | undefined {
  if (!isDeviceName(name)) return undefined;
  const url = networkAddress(name);
  return { device: name, address: url === undefined ? url : comparableAddress(url) };
}

/** These drivers may list one network scanner under two names. */
function isOnNetwork({ device }: Identity): boolean {
  return /^(?:airscan|escl):/u.test(device);
}
