import type { Device } from './ipc/messages.ts';

/** Where in a list or on the bus a device was found, as some drivers name it. It changes when others come and go. */
const POSITION = /^airscan:[a-z]\d+:|libusb:\d+:\d+|:\/dev\//iu;

/**
 * Whether `device` is the name of a device as SANE spells it: backend, colon, the rest (sane-dll(5)). Such a name is
 * used as it is, as some devices open by name and are not listed (network devices behind saned).
 */
export function isDeviceName(device: string): boolean {
  return /^[a-z0-9_-]+:./iu.test(device);
}

/** Whether `wanted` is a part of vendor and model, whatever the case of its letters. */
export function matchesDevice({ vendor, model }: Device, wanted: string): boolean {
  return `${vendor} ${model}`.toLowerCase().includes(wanted.toLowerCase());
}

/** What a profile is best told to use `device`: its model where SANE's name is a position, and no other device has that model. */
export function lastingName(device: Device, all: readonly Device[]): string {
  const { name, vendor, model } = device;
  if (!POSITION.test(name)) return name;
  const isAlone = (words: string): boolean =>
    words !== '' &&
    !isDeviceName(words) &&
    all.filter((one) => matchesDevice(one, words)).length === 1;
  return [model, `${vendor} ${model}`].find(isAlone) ?? name;
}
