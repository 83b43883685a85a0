import type { Device } from './ipc/messages.ts';

/** Some drivers put a list or bus position, which changes as devices come and go, into the name. */
const POSITION = /^airscan:[a-z]\d+:|libusb:\d+:\d+|:\/dev\//iu;

const BY_ADDRESS = /^airscan:escl:[^:]*:(?<url>https?:\/\/.+)$/u;

/**
 * True for a SANE device name, `backend:rest` (sane-dll(5)). Such a name is not looked up, since
 * some devices can be opened without being listed, such as network devices behind saned.
 */
export function isDeviceName(device: string): boolean {
  return /^[a-z0-9_-]+:./iu.test(device);
}

export function matchesDevice({ vendor, model }: Device, wanted: string): boolean {
  return `${vendor} ${model}`.toLowerCase().includes(wanted.toLowerCase());
}

/** The name for a profile: the model, if it is unique and SANE's name contains a position. */
export function lastingName(device: Device, all: readonly Device[]): string {
  const { name, vendor, model } = device;
  if (!POSITION.test(name)) return name;
  const isAlone = (words: string): boolean =>
    words !== '' &&
    !isDeviceName(words) &&
    all.filter((one) => matchesDevice(one, words)).length === 1;
  return [model, `${vendor} ${model}`].find(isAlone) ?? name;
}

export function networkAddress(device: string): string | undefined {
  return BY_ADDRESS.exec(device)?.groups?.['url'];
}

export function comparableAddress(url: string): string {
  return (URL.parse(url)?.href ?? url).replace(/\/$/u, '');
}
