import { beforeAbort } from '../../helpers/before-abort.ts';

/** Changing one file takes milliseconds; beyond this limit the disk is considered hung. */
const CHANGE_MS = 10_000;

/** Time limit of a change, including earlier changes that it waits for. */
export type ChangeLimit = () => AbortSignal;

export const withinTenSeconds: ChangeLimit = () => AbortSignal.timeout(CHANGE_MS);

/**
 * Makes one change at a time, so that one that hung cannot undo a later one. A change that has not
 * begun before its time limit never does. One that has begun may still become durable.
 */
export function createTimedTurns(
  limit: ChangeLimit,
  hung: () => never,
): <Value>(change: () => Promise<Value>) => Promise<Value> {
  let last: Promise<unknown> = Promise.resolve();
  return (change) => {
    const late = limit();
    const next = last.then(() => (late.aborted ? hung() : change()));
    last = next.catch(() => {});
    return beforeAbort(late, next, hung);
  };
}
