import { setTimeout as sleep } from 'node:timers/promises';

export interface PollOptions<Value> {
  /** Receives the previous result. */
  readonly look: (last: Value | undefined) => Promise<Value>;
  readonly everyMs: number;
  /** Called for each failed attempt. */
  readonly onError: (error: unknown) => void;
  /** An initial value, which delays the first attempt by `everyMs`. */
  readonly known?: Value;
  readonly firstMs?: number;
}

export interface Poll<Value> {
  /** The last successful result; undefined before the first. */
  readonly value: () => Value | undefined;
  /** Waits for the current attempt, then starts another. */
  readonly now: () => Promise<void>;
  readonly close: () => void;
  /** Resolves when no attempt is running. */
  readonly idle: () => Promise<void>;
}

/** Limits how long a hanging disk or network delays the start. */
const FIRST_MS = 3000;

/**
 * Polls every `everyMs`, one attempt at a time, so a hanging disk blocks one thread and no request.
 * Resolves after the first attempt or after `firstMs`.
 */
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
