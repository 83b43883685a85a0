import { randomBytes } from 'node:crypto';

/** Form of every scan id: UTC time, so that ids sort by time, and three random bytes. */
export const SCAN_ID = /^\d{8}T\d{6}Z-[0-9a-f]{6}$/;

/** A new scan id such as `20261121T063000Z-8f3a1c`: safe as a directory name, never made from a caller's input. */
export function createScanId(now: Date): string {
  const time = now.toISOString().replaceAll(/[-:]|\.\d+/g, '');
  return `${time}-${randomBytes(3).toString('hex')}`;
}
