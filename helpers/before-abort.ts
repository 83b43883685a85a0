/** What the promise comes to, or what `otherwise` returns or throws when the signal is aborted before. */
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
