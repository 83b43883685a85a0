import pLimit from 'p-limit';
import { beforeAbort } from '../before-abort.ts';

/** A question about devices that has a scanimage of its own, or waits for its turn to have one. */
export interface Look {
  /** What it is for: a check is of the self-test, and sensors are read again and again. */
  readonly kind: 'list' | 'describe' | 'check' | 'sensors';
  /** As the asker named the device; undefined for a list. */
  readonly device?: string;
}

export interface Looks {
  /**
   * Has `work` done in its turn. An asker that gives up ends its wait, and not the scanimage, which may be opening a device; one
   * whose turn has not come then has none. Rejects with the reason of `stop` where a scan ended the look.
   */
  readonly look: <Result>(
    look: Look,
    signal: AbortSignal,
    work: (stop: AbortSignal) => Promise<Result>,
  ) => Promise<Result>;
  /** Resolves when no scanimage is left of the looks so far. */
  readonly over: () => Promise<void>;
  /** Has `work` done when those are over, but after `patienceMs` at the latest; no new look begins before it has ended. */
  readonly inTurn: <Result>(patienceMs: number, work: () => Promise<Result>) => Promise<Result>;
  /** Whether a look is under way, or waits for its turn. */
  readonly isBusy: () => boolean;
  /** Resolves when the open looks that are `waitedFor` have ended, or after `ms`. Never rejects. */
  readonly settled: (
    waitedFor: (look: Look, hasBegun: boolean) => boolean,
    ms: number,
  ) => Promise<void>;
  /** Ends the looks that `isInTheWay`, with `reason`; returns whether one of them had begun. */
  readonly end: (reason: Error, isInTheWay: (look: Look, hasBegun: boolean) => boolean) => boolean;
}

interface OpenLook {
  readonly look: Look;
  readonly stop: AbortController;
  readonly ended: PromiseWithResolvers<void>;
  hasBegun: boolean;
}

/** Looks at devices, one at a time: USB drivers open every device that they look for. */
export function createLooks(): Looks {
  const inTurn = pLimit(1);
  const open = new Set<OpenLook>();
  return {
    look: (look, signal, work) => {
      const one: OpenLook = {
        look,
        stop: new AbortController(),
        ended: Promise.withResolvers(),
        hasBegun: false,
      };
      open.add(one);
      const done = inTurn(async () => {
        try {
          signal.throwIfAborted();
          one.stop.signal.throwIfAborted();
          one.hasBegun = true;
          return await work(one.stop.signal);
        } catch (error) {
          one.stop.signal.throwIfAborted();
          throw error;
        } finally {
          open.delete(one);
          one.ended.resolve();
        }
      });
      const given = AbortSignal.any([signal, one.stop.signal]);
      return beforeAbort(given, done, () => {
        throw given.reason;
      });
    },
    over: () => inTurn(() => Promise.resolve()),
    inTurn: async (patienceMs, work) => {
      const turn = Promise.withResolvers<void>();
      const done = Promise.withResolvers<void>();
      void inTurn(() => {
        turn.resolve();
        return done.promise;
      });
      await beforeAbort(AbortSignal.timeout(patienceMs), turn.promise, () => {});
      try {
        return await work();
      } finally {
        done.resolve();
      }
    },
    isBusy: () => open.size > 0,
    settled: async (waitedFor, ms) => {
      const theirs = [...open].filter(({ look, hasBegun }) => waitedFor(look, hasBegun));
      if (theirs.length === 0) return;
      const all = Promise.all(theirs.map(({ ended }) => ended.promise));
      await beforeAbort(AbortSignal.timeout(ms), all, () => []);
    },
    end: (reason, isInTheWay) => {
      const ended = [...open].filter(({ look, hasBegun }) => isInTheWay(look, hasBegun));
      for (const { stop } of ended) stop.abort(reason);
      return ended.some(({ hasBegun }) => hasBegun);
    },
  };
}
