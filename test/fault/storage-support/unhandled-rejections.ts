export interface Rejections {
  /** Reasons of rejections that nobody handled: each would have ended the service. */
  readonly seen: () => readonly unknown[];
  readonly stop: () => void;
}

/** Collects them instead of letting the first one end the test. */
export function watchRejections(): Rejections {
  const reasons: unknown[] = [];
  const take = (reason: unknown): void => void reasons.push(reason);
  process.on('unhandledRejection', take);
  return { seen: () => reasons, stop: () => void process.off('unhandledRejection', take) };
}
