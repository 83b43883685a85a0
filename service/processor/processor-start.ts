import type { ProcessorClient } from './processor-client.ts';

/** In seconds. All parts start together; on a small board, the processor takes a minute. */
const STARTING_S = 60;

export function isStarting(upSeconds: number): boolean {
  return upSeconds < STARTING_S;
}

export interface WatchedStart {
  readonly processor: ProcessorClient;
  /** True for `STARTING_S` after the start, until the processor has answered. */
  readonly mayBeStarting: () => boolean;
}

/** Once the processor has answered, a silent one was stopped: it is not starting. */
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
