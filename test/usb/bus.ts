import type { Guest } from './guest.ts';

/** Waits until the kernel lists so many scanners, and udev has given them their files. */
export function untilListed(count: number): string {
  return `for try in $(seq 120); do [ $(lsusb -d 04c5: | wc -l) = ${count} ] && break; sleep 0.25; done; udevadm settle`;
}

/** The device file of the only scanner. */
export async function nodeOf(guest: Guest): Promise<string> {
  const line = await guest.run(`${untilListed(1)}; lsusb -d 04c5:114f`);
  const [, bus, number] = /^Bus (\d+) Device (\d+)/u.exec(line) ?? [];
  return `/dev/bus/usb/${bus}/${number}`;
}
