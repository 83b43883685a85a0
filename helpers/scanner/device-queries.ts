import pLimit from 'p-limit';
import { beforeAbort } from '../before-abort.ts';

/** A query that runs scanimage or waits for its turn. */
export interface DeviceQuery {
  /** `check` comes from the self-test; `sensors` are polled. */
  readonly kind: 'list' | 'describe' | 'check' | 'sensors';
  readonly device?: string;
}

export interface DeviceQueries {
  /**
   * Runs `work` in turn. If `signal` is aborted, a queued query is dropped, but a running scanimage
   * continues, as it may be opening a device. Rejects with the reason of `end` if a scan ended the
   * query.
   */
  readonly run: <Result>(
    query: DeviceQuery,
    signal: AbortSignal,
    work: (stop: AbortSignal) => Promise<Result>,
  ) => Promise<Result>;
  /** Resolves when all current queries and their scanimage processes have ended. */
  readonly over: () => Promise<void>;
  /** Runs `work` after the current queries, or after `timeoutMs`. New queries wait for it. */
  readonly inTurn: <Result>(timeoutMs: number, work: () => Promise<Result>) => Promise<Result>;
  readonly isBusy: () => boolean;
  /** Resolves when the matching queries have ended, or after `ms`. Never rejects. */
  readonly settled: (
    waitedFor: (query: DeviceQuery, hasBegun: boolean) => boolean,
    ms: number,
  ) => Promise<void>;
  /** Returns true if one of the matching queries had started. */
  readonly end: (
    reason: Error,
    isInTheWay: (query: DeviceQuery, hasBegun: boolean) => boolean,
  ) => boolean;
}

interface OpenQuery {
  readonly query: DeviceQuery;
  readonly stop: AbortController;
  readonly ended: PromiseWithResolvers<void>;
  hasBegun: boolean;
}

/** USB drivers open every device that they list, so queries run one at a time. */
export function createDeviceQueries(): DeviceQueries {
  const inTurn = pLimit(1);
  const open = new Set<OpenQuery>();
  return {
    run: (query, signal, work) => {
      const one: OpenQuery = {
        query,
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
    inTurn: async (timeoutMs, work) => {
      const turn = Promise.withResolvers<void>();
      const done = Promise.withResolvers<void>();
      void inTurn(() => {
        turn.resolve();
        return done.promise;
      });
      await beforeAbort(AbortSignal.timeout(timeoutMs), turn.promise, () => {});
      try {
        return await work();
      } finally {
        done.resolve();
      }
    },
    isBusy: () => open.size > 0,
    settled: async (waitedFor, ms) => {
      const theirs = [...open].filter(({ query, hasBegun }) => waitedFor(query, hasBegun));
      if (theirs.length === 0) return;
      const all = Promise.all(theirs.map(({ ended }) => ended.promise));
      await beforeAbort(AbortSignal.timeout(ms), all, () => []);
    },
    end: (reason, isInTheWay) => {
      const ended = [...open].filter(({ query, hasBegun }) => isInTheWay(query, hasBegun));
      for (const { stop } of ended) stop.abort(reason);
      return ended.some(({ hasBegun }) => hasBegun);
    },
  };
}
