import type { Part } from '../../support/appliance/part.ts';

/** Option of Node for a part whose garbage is to be collected. */
export const COLLECTS_GARBAGE = `--import=${import.meta.resolve('./garbage-preload.ts')}`;

/** Has a part that was started with the option above collect its garbage, so that what it holds then is what it keeps. */
export async function collectGarbage(part: Part): Promise<void> {
  const collected = part.nextLine(/"event":"collected"/);
  process.kill(part.pid(), 'SIGUSR2');
  await collected;
}
