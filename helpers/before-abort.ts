/** Settles like `promise`, or like `otherwise` if the signal is aborted first. */
export async function beforeAbort<T>(
  signal: AbortSignal,
  promise: Promise<T>,
  otherwise: () => T | Promise<T>,
): Promise<T> {
  const aborted = Promise.withResolvers<true>();
  const onAbort = (): void => aborted.resolve(true);
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort);
  try {
    return await Promise.race([aborted.promise.then(otherwise), promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
