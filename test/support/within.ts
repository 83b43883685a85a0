/** For what a test waits for, on a machine however busy. In milliseconds. */
export const EVENT_MS = 60_000;

/** A machine that stands still for a while has spent one of them, not the whole time. */
const STEPS = 20;

/** Rejects when `promise` has not settled within `ms` in which this process ran: a test waits for events, never for ever. */
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

/** Resolves when that is so, where nobody tells of it. */
export async function until(isSo: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const look = async (): Promise<void> => {
    while (!(await isSo())) await new Promise((resolve) => setImmediate(resolve));
  };
  await within(EVENT_MS, look(), what);
}
