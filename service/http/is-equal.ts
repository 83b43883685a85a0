import { createHash, timingSafeEqual } from 'node:crypto';

/** Whether two texts are equal, in a time that does not say where they differ. */
export function isEqual(a: string, b: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
