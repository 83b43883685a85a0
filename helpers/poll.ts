import { setTimeout as sleep } from 'node:timers/promises';

export interface PollOptions<Value> {
  readonly look: () => Promise<Value>;
  readonly everyMs: number;
  /** Called for each look that fails. */
  readonly onError: (error: unknown) => void;
  readonly firstMs?: number;
}

export interface Poll<Value> {
  /** What the last look found that did not fail; undefined before there was one. */
  readonly value: () => Value | undefined;
  readonly close: () => void;
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
  firstMs = FIRST_MS,
}: PollOptions<Value>): Promise<Poll<Value>> {
  let looking: Promise<void> | undefined;
  let found: Value | undefined;
  const lookOnce = (): Promise<void> =>
    (looking ??= look()
      .then((value) => void (found = value), onError)
      .finally(() => (looking = undefined)));
  const timer = setInterval(() => void lookOnce(), everyMs).unref();
  const waited = new AbortController();
  const late = sleep(firstMs, undefined, { signal: waited.signal }).catch(() => {});
  await Promise.race([lookOnce(), late]);
  waited.abort();
  return { value: () => found, close: () => clearInterval(timer) };
}
