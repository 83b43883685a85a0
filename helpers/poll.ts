import { setTimeout as sleep } from 'node:timers/promises';

export interface PollOptions<Value> {
  readonly look: (last: Value | undefined) => Promise<Value>;
  readonly everyMs: number;
  readonly onError: (error: unknown) => void;
  /** With an initial value, the first attempt is after `everyMs`. */
  readonly known?: Value;
  readonly firstMs?: number;
}

export interface Poll<Value> {
  readonly value: () => Value | undefined;
  /** Waits for the current attempt, then makes another. */
  readonly now: () => Promise<void>;
  readonly close: () => void;
  /** Resolves when no attempt is running. */
  readonly idle: () => Promise<void>;
}

/** The first attempt delays the start by at most this. */
const FIRST_MS = 3000;

/** One attempt at a time. Resolves after the first attempt or `firstMs`. */
export async function poll<Value>({
  look,
  everyMs,
  onError,
  known,
  firstMs = FIRST_MS,
}: PollOptions<Value>): Promise<Poll<Value>> {
  let looking: Promise<void> | undefined;
  let found = known;
  const lookOnce = (): Promise<void> =>
    (looking ??= look(found)
      .then((value) => void (found = value), onError)
      .finally(() => (looking = undefined)));
  const timer = setInterval(() => void lookOnce(), everyMs).unref();
  if (known === undefined) {
    const waited = new AbortController();
    const late = sleep(firstMs, undefined, { signal: waited.signal }).catch(() => {});
    await Promise.race([lookOnce(), late]);
    waited.abort();
  }
  return {
    value: () => found,
    now: async () => {
      await looking;
      await lookOnce();
    },
    close: () => clearInterval(timer),
    idle: async () => looking,
  };
}
