import { randomBytes } from 'node:crypto';

/** UTC time, three hexadecimal digits for the fraction of the second, three random ones. */
export const SCAN_ID = /^\d{8}T\d{6}Z-[0-9a-f]{6}$/;

const PARTS_OF_A_SECOND = 4096;

/**
 * Returns an id such as `20261121T063000Z-8f3a1c`, with nothing from the request. Ids sort by time.
 */
export function createScanId(now: Date): string {
  const time = now.toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const part = Math.floor((now.getUTCMilliseconds() / 1000) * PARTS_OF_A_SECOND);
  return `${time}-${part.toString(16).padStart(3, '0')}${randomBytes(2).toString('hex').slice(1)}`;
}
