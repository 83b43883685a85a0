import { comparableAddress, isDeviceName, networkAddress } from '../../helpers/device-names.ts';
import type { SensorReading } from '../../helpers/ipc/messages.ts';

type Identity = Pick<SensorReading, 'device' | 'address'>;

/** Returns the last sensor reading of a scanner, given its name in a profile. */
export type ReadingOf = (name: string) => Identity | undefined;

/** True if both have the same SANE device name or network address. */
export function isSameScanner(one: Identity | undefined, other: Identity | undefined): boolean {
  if (!one || !other) return false;
  return (
    one.device === other.device || (one.address !== undefined && one.address === other.address)
  );
}

/** A scanner's name in a profile, and its name in SANE if known. */
export interface NamedScanner {
  readonly named: string;
  readonly device?: string | undefined;
}

/** False only if the names surely mean different scanners. */
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

/** Undefined for `auto` and for a part of a model name. */
function identityIn(name: string): Identity | undefined {
  if (!isDeviceName(name)) return undefined;
  const url = networkAddress(name);
  return { device: name, address: url === undefined ? url : comparableAddress(url) };
}

/** With these drivers, SANE may list one scanner under two names. */
function isOnNetwork({ device }: Identity): boolean {
  return /^(?:airscan|escl):/u.test(device);
}
