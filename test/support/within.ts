/** Rejects when `promise` has not settled within `ms`: a test waits for events, never for ever. */
export async function within<T>(ms: number, promise: Promise<T>, what = 'the event'): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} did not come within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
