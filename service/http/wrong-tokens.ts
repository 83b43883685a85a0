import { createHash, randomUUID } from 'node:crypto';
import { Failure } from '../../helpers/failure.ts';

/** How many different wrong tokens an address may send within `WRONG_MS` milliseconds. */
const MAX_WRONG = 10;
const WRONG_MS = 60_000;

/** Limits memory. The oldest address is forgotten first. */
const MAX_ADDRESSES = 1000;

export interface WrongTokens {
  /** Throws Failure `too_many_requests` if the address has sent too many. */
  readonly check: (address: string) => void;
  /**
   * Counts the same wrong token once, because browsers keep sending an old cookie. Without a token,
   * counts every call.
   */
  readonly count: (address: string, token?: string) => void;
}

/** Slows down guessing: after ten wrong tokens in a minute, even the right one is rejected. */
export function createWrongTokens(
  now: () => number = () => performance.now(),
  kind: 'tokens' | 'passwords' = 'tokens',
): WrongTokens {
  const wrongAt = new Map<string, ReadonlyMap<string, number>>();

  function recent(address: string): ReadonlyMap<string, number> {
    const all = wrongAt.get(address) ?? new Map<string, number>();
    return new Map([...all].filter(([, at]) => now() - at < WRONG_MS));
  }

  return {
    check: (address) => {
      if (recent(address).size < MAX_WRONG) return;
      const what = `Too many wrong ${kind} were sent from this address.`;
      throw new Failure('too_many_requests', what, { remedy: 'Wait a minute, then try again.' });
    },
    count: (address, token) => {
      const wrong = recent(address);
      const [oldest] = wrongAt.keys();
      if (!wrongAt.has(address) && wrongAt.size >= MAX_ADDRESSES && oldest !== undefined) {
        wrongAt.delete(oldest);
      }
      const key = token === undefined ? randomUUID() : hashOf(token);
      wrongAt.set(address, new Map([...wrong, [key, wrong.get(key) ?? now()]]));
    },
  };
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('base64');
}
