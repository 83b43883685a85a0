import { setTimeout as sleep } from 'node:timers/promises';

export interface PollOptions<Value> {
  /** Given what the look before found. */
  readonly look: (last: Value | undefined) => Promise<Value>;
  readonly everyMs: number;
  /** Called for each look that fails. */
  readonly onError: (error: unknown) => void;
  /** What was found already: the first look then comes after `everyMs`. */
  readonly known?: Value;
  readonly firstMs?: number;
}

export interface Poll<Value> {
  /** What the last look found that did not fail; undefined before there was one. */
  readonly value: () => Value | undefined;
  /** Looks once more, at what is there by now. */
  readonly now: () => Promise<void>;
  /** Looks no more. */
  readonly close: () => void;
  /** Resolves when no look is under way. */
  readonly idle: () => Promise<void>;
}

/** How long a start waits for the first look: what is read lies on a disk or a network that may hang. */
const FIRST_MS = 3000;

/**
 * Looks at something every `everyMs`, never twice at once: a look at a disk that hangs holds one thread and no request.
 * Resolves after the first look, or after `firstMs` without one.
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
