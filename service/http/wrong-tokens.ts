import { createHash } from 'node:crypto';
import { Failure } from '../../helpers/failure.ts';

/** Different wrong tokens that are compared per address within `WRONG_MS` milliseconds. */
const MAX_WRONG = 10;
const WRONG_MS = 60_000;

/** An attacker may have many addresses: the one that was added first is forgotten. */
const MAX_ADDRESSES = 1000;

/** Wrong caller tokens, and cookies that stand for one, by the address that sent them. */
export interface WrongTokens {
  /** Throws Failure `too_many_requests` if an address has sent so many that its tokens are not compared. */
  readonly check: (address: string) => void;
  /** Counts a wrong token. The same one again is no new guess: a browser keeps sending an old cookie. */
  readonly count: (address: string, token: string) => void;
}

/**
 * Slows down guessing: no token of an address is compared after ten wrong ones in a minute. A brake that let the right token pass would
 * only change the answer to wrong ones.
 */
export function createWrongTokens(now: () => number = () => performance.now()): WrongTokens {
  const wrongAt = new Map<string, ReadonlyMap<string, number>>();

  function recent(address: string): ReadonlyMap<string, number> {
    const all = wrongAt.get(address) ?? new Map<string, number>();
    return new Map([...all].filter(([, at]) => now() - at < WRONG_MS));
  }

  return {
    check: (address) => {
      if (recent(address).size < MAX_WRONG) return;
      const what = 'Too many wrong tokens were sent from this address.';
      throw new Failure('too_many_requests', what, { remedy: 'Wait a minute, then try again.' });
    },
    count: (address, token) => {
      const wrong = recent(address);
      const [oldest] = wrongAt.keys();
      if (!wrongAt.has(address) && wrongAt.size >= MAX_ADDRESSES && oldest !== undefined) {
        wrongAt.delete(oldest);
      }
      const hash = createHash('sha256').update(token).digest('base64');
      wrongAt.set(address, new Map([...wrong, [hash, wrong.get(hash) ?? now()]]));
    },
  };
}
