import type { Part } from '../../support/appliance/part.ts';

/** Node option for parts that `collectGarbage` is called on. */
export const COLLECTS_GARBAGE = `--import=${import.meta.resolve('./garbage-preload.ts')}`;

export async function collectGarbage(part: Part): Promise<void> {
  const collected = part.nextLine(/"event":"collected"/);
  process.kill(part.pid(), 'SIGUSR2');
  await collected;
}
