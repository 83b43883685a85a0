/** Time limit in milliseconds for awaited events, generous enough for a busy machine. */
export const EVENT_MS = 60_000;

/** The limit is counted in steps: if the machine is suspended, only one step is lost. */
const STEPS = 20;

/**
 * Rejects if `promise` does not settle within `ms`, not counting time when the machine is
 * suspended.
 */
export async function within<T>(ms: number, promise: Promise<T>, what = 'the event'): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  let left = STEPS;
  const late = new Promise<never>((_, reject) => {
    timer = setInterval(() => {
      left -= 1;
      if (left === 0) reject(new Error(`${what} did not come within ${ms} ms`));
    }, ms / STEPS);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearInterval(timer);
  }
}

/** Polls until the condition is true, for events that cannot be awaited. */
export async function until(isSo: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const look = async (): Promise<void> => {
    while (!(await isSo())) await new Promise((resolve) => setImmediate(resolve));
  };
  await within(EVENT_MS, look(), what);
}
