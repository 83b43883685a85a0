import pLimit from 'p-limit';
import { beforeAbort } from '../before-abort.ts';

/** A query of devices, called a look: it runs scanimage, or waits for its turn. */
export interface DeviceQuery {
  /** `check` comes from the self-test; `sensors` are polled. */
  readonly kind: 'list' | 'describe' | 'check' | 'sensors';
  readonly device?: string;
}

export interface Looks {
  /**
   * Runs `work` in turn. If `signal` is aborted, a queued query is dropped, but a running scanimage
   * continues, as it may be opening a device. Rejects with the reason of `end` if a scan ended the
   * query.
   */
  readonly look: <Result>(
    look: DeviceQuery,
    signal: AbortSignal,
    work: (stop: AbortSignal) => Promise<Result>,
  ) => Promise<Result>;
  /** Resolves when all current queries and their scanimage processes have ended. */
  readonly over: () => Promise<void>;
  /** Runs `work` after the current queries, or after `patienceMs`. New queries wait for it. */
  readonly inTurn: <Result>(patienceMs: number, work: () => Promise<Result>) => Promise<Result>;
  readonly isBusy: () => boolean;
  /** Resolves when the matching queries have ended, or after `ms`. Never rejects. */
  readonly settled: (
    waitedFor: (look: DeviceQuery, hasBegun: boolean) => boolean,
    ms: number,
  ) => Promise<void>;
  /** Returns true if one of the matching queries had started. */
  readonly end: (
    reason: Error,
    isInTheWay: (look: DeviceQuery, hasBegun: boolean) => boolean,
  ) => boolean;
}

interface OpenLook {
  readonly look: DeviceQuery;
  readonly stop: AbortController;
  readonly ended: PromiseWithResolvers<void>;
  hasBegun: boolean;
}

/** USB drivers open every device that they list, so queries run one at a time. */
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
