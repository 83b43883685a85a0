import pLimit from 'p-limit';
import { Failure } from '../../../helpers/failure.ts';

/** Asks one at a time. Throws Failure `too_many_requests` beyond the limits. */
export type AskLimit = <Value>(ask: () => Promise<Value>) => Promise<Value>;

/** Keeps callers from probing the network. A person needs only a few attempts. */
const MAX_PER_MINUTE = 20;
const MINUTE_MS = 60_000;
const MAX_WAITING = 3;

/** Shared by all steps that ask an address. */
export function createAskLimit(now: () => number = () => performance.now()): AskLimit {
  const queue = pLimit(1);
  let askedAt: readonly number[] = [];
  return async (ask) => {
    askedAt = askedAt.filter((at) => now() - at < MINUTE_MS);
    if (askedAt.length >= MAX_PER_MINUTE || queue.pendingCount >= MAX_WAITING) throw tooMany();
    askedAt = [...askedAt, now()];
    return queue(ask);
  };
}

function tooMany(): Failure {
  return new Failure('too_many_requests', 'Too many addresses were checked.', {
    remedy: 'Wait a minute, then try again.',
  });
}
