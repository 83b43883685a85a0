import { setTimeout as sleep } from 'node:timers/promises';

export interface BackgroundLook {
  readonly look: () => Promise<void>;
  readonly intervalMs: number;
  readonly onError: (error: unknown) => void;
  readonly firstLookMs?: number;
}

/** How long a start waits for the first look: what is read lies on a disk or a network that may hang. */
const FIRST_LOOK_MS = 3000;

/**
 * Looks at something now and then every `intervalMs`, never twice at once: a look at a disk that hangs holds one thread and no
 * request. Resolves after the first look, or after `firstLookMs` without one, with the function that ends it.
 */
export async function lookInBackground({
  look,
  intervalMs,
  onError,
  firstLookMs = FIRST_LOOK_MS,
}: BackgroundLook): Promise<() => void> {
  let looking: Promise<void> | undefined;
  const lookOnce = (): Promise<void> =>
    (looking ??= look()
      .catch(onError)
      .finally(() => (looking = undefined)));
  const timer = setInterval(() => void lookOnce(), intervalMs);
  const waited = new AbortController();
  await Promise.race([
    lookOnce(),
    sleep(firstLookMs, undefined, { signal: waited.signal }).catch(() => {}),
  ]);
  waited.abort();
  return () => clearInterval(timer);
}
