import type { Guest } from './guest.ts';

const WAIT_S = 300;

/** A line of bash that repeats a command until it succeeds, or fails after WAIT_S. */
export function untilTrue(command: string): string {
  const late = `{ echo "waited ${WAIT_S} s"; exit 1; }`;
  return `SECONDS=0; until ${command}; do [ $SECONDS -lt ${WAIT_S} ] || ${late}; sleep 0.25; done`;
}

/** Waits until the kernel lists that many scanners and udev has created their device files. */
export function untilListed(count: number): string {
  return `${untilTrue(`[ $(lsusb -d 04c5: | wc -l) = ${count} ]`)}; udevadm settle --timeout=${WAIT_S}`;
}

export async function nodeOf(guest: Guest): Promise<string> {
  const line = await guest.run(`${untilListed(1)}; lsusb -d 04c5:114f`);
  const [, bus, number] = /^Bus (\d+) Device (\d+)/u.exec(line) ?? [];
  return `/dev/bus/usb/${bus}/${number}`;
}
