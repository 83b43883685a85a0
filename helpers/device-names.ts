import type { Device } from './ipc/messages.ts';

/** Names of some drivers contain a list or bus position, which changes as devices come and go. */
const POSITION = /^airscan:[a-z]\d+:|libusb:\d+:\d+|:\/dev\//iu;

/** A device that sane-airscan opens by its address. */
const BY_ADDRESS = /^airscan:escl:[^:]*:(?<url>https?:\/\/.+)$/u;

/**
 * True for a SANE device name: backend, colon, rest (sane-dll(5)). Such names are used unchanged,
 * because some devices open by name without being listed (network devices behind saned).
 */
export function isDeviceName(device: string): boolean {
  return /^[a-z0-9_-]+:./iu.test(device);
}

/** True if vendor and model contain `wanted`, ignoring case. */
export function matchesDevice({ vendor, model }: Device, wanted: string): boolean {
  return `${vendor} ${model}`.toLowerCase().includes(wanted.toLowerCase());
}

/** The name to store in a profile: the unique model if SANE's name contains a position. */
export function lastingName(device: Device, all: readonly Device[]): string {
  const { name, vendor, model } = device;
  if (!POSITION.test(name)) return name;
  const isAlone = (words: string): boolean =>
    words !== '' &&
    !isDeviceName(words) &&
    all.filter((one) => matchesDevice(one, words)).length === 1;
  return [model, `${vendor} ${model}`].find(isAlone) ?? name;
}

/** The address in the name of a network device; undefined for every other name. */
export function networkAddress(device: string): string | undefined {
  return BY_ADDRESS.exec(device)?.groups?.['url'];
}

/** An address of a scanner in one spelling, to compare it with others. */
export function comparableAddress(url: string): string {
  return (URL.parse(url)?.href ?? url).replace(/\/$/u, '');
}
