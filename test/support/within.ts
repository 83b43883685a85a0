/** Time limit for awaited events, generous enough for a busy machine. In milliseconds. */
export const EVENT_MS = 60_000;

/** The time limit is counted in steps, so that a suspended machine uses up only one of them. */
const STEPS = 20;

/** Rejects if `promise` has not settled within `ms` of time in which this process could run. */
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
