import { Failure } from '../../helpers/failure.ts';

/** Wrong tokens per address that are answered 401 within `WRONG_MS` milliseconds. */
const MAX_WRONG = 10;
const WRONG_MS = 60_000;

/** An attacker may have many addresses: the one that was added first is forgotten. */
const MAX_ADDRESSES = 1000;

/** Wrong caller tokens, by the address that sent them. */
export interface WrongTokens {
  /** Counts a wrong token. Throws Failure `too_many_requests` where the address has sent too many. */
  readonly count: (address: string) => void;
}

/**
 * Refuses callers that keep sending wrong tokens. Compare the token first, and count only wrong ones: behind a reverse proxy all callers
 * have one address, and a right token must pass whatever others send.
 */
export function createWrongTokens(now: () => number = () => performance.now()): WrongTokens {
  const wrongAt = new Map<string, readonly number[]>();
  return {
    count: (address) => {
      const at = now();
      const recent = (wrongAt.get(address) ?? []).filter((time) => at - time < WRONG_MS);
      if (recent.length >= MAX_WRONG) {
        const what = 'Too many wrong tokens were sent from this address.';
        const remedy = 'Wait a minute, then try again; the right token is accepted at any time.';
        throw new Failure('too_many_requests', what, { remedy });
      }
      const [oldest] = wrongAt.keys();
      if (!wrongAt.has(address) && wrongAt.size >= MAX_ADDRESSES && oldest !== undefined) {
        wrongAt.delete(oldest);
      }
      wrongAt.set(address, [...recent, at]);
    },
  };
}
