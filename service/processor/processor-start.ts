import type { ProcessorClient } from './processor-client.ts';

/**
 * In seconds. All parts start together, and the processor takes longest: a minute on a small board.
 */
const STARTING_S = 60;

/** True if a processor that does not respond may still be starting. */
export function isStarting(upSeconds: number): boolean {
  return upSeconds < STARTING_S;
}

export interface WatchedStart {
  readonly processor: ProcessorClient;
  /** True until the processor first responds, while the service has just been started. */
  readonly mayBeStarting: () => boolean;
}

/** Remembers whether the processor has ever responded. If it is gone after that, it was stopped. */
export function watchStart(
  processor: ProcessorClient,
  upSeconds: () => number = () => process.uptime(),
): WatchedStart {
  let hasAnswered = false;
  const health: ProcessorClient['health'] = async (signal) => {
    const answer = await processor.health(signal);
    hasAnswered = true;
    return answer;
  };
  return {
    processor: { ...processor, health },
    mayBeStarting: () => !hasAnswered && isStarting(upSeconds()),
  };
}
