import type { ProcessorClient } from './processor-client.ts';

/** All parts start together, and the processor may take a minute. */
const STARTING_S = 60;

export function isStarting(upSeconds: number): boolean {
  return upSeconds < STARTING_S;
}

export interface WatchedStart {
  readonly processor: ProcessorClient;
  /** True in the first minute, unless the processor has already answered. */
  readonly mayBeStarting: () => boolean;
}

/** Once the processor has answered, it is no longer starting: if it is silent, it was stopped. */
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
