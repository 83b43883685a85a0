import pLimit from 'p-limit';
import { Failure } from '../../helpers/failure.ts';

/** How many passwords may wait to be hashed. Each takes 32 MB and 0.3 s. */
const MAX_WAITING = 8;

/** Fewer than `MAX_WAITING`, so that guesses from one address leave places for others. */
const MAX_PER_ADDRESS = 4;

/** One at a time: a wrong password must count before the next one is checked. */
export interface Turns {
  /** Throws Failure `too_many_requests` if too many wait. */
  readonly wait: <Value>(work: () => Promise<Value>) => Promise<Value>;
  /** Like `wait`, and also refuses if too many from `address` wait. */
  readonly waitFrom: <Value>(address: string, work: () => Promise<Value>) => Promise<Value>;
}

export function createTurns(): Turns {
  const queue = pLimit(1);
  const waiting = new Map<string, number>();

  function wait<Value>(work: () => Promise<Value>): Promise<Value> {
    if (queue.pendingCount >= MAX_WAITING) throw tooMany();
    return queue(work);
  }

  return {
    wait,
    waitFrom: async (address, work) => {
      const before = waiting.get(address) ?? 0;
      if (before >= MAX_PER_ADDRESS) throw tooMany();
      waiting.set(address, before + 1);
      try {
        return await wait(work);
      } finally {
        const left = (waiting.get(address) ?? 1) - 1;
        if (left > 0) waiting.set(address, left);
        else waiting.delete(address);
      }
    },
  };
}

function tooMany(): Failure {
  return new Failure('too_many_requests', 'Too many passwords are being checked.', {
    remedy: 'Try again in a minute.',
  });
}
