/** What the promise comes to, or `otherwise` when the signal is aborted before. */
export async function beforeAbort<T>(
  signal: AbortSignal,
  promise: Promise<T>,
  otherwise: T,
): Promise<T> {
  if (signal.aborted) return otherwise;
  const { promise: aborted, resolve } = Promise.withResolvers<T>();
  const onAbort = (): void => resolve(otherwise);
  signal.addEventListener('abort', onAbort);
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
