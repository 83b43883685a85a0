import type { ProcessorClient } from './processor-client.ts';

/** All parts are started at once, and the processor takes longest: a minute on a small board. In seconds. */
const STARTING_S = 60;

/** Whether a processor that does not answer may still be starting, where the service has been up for so many seconds. */
export function isStarting(upSeconds: number): boolean {
  return upSeconds < STARTING_S;
}

export interface WatchedStart {
  /** The same processor. */
  readonly processor: ProcessorClient;
  /** Whether it may still be starting: it has never said how it is, and the service itself has just been started. */
  readonly mayBeStarting: () => boolean;
}

/** Notices when a processor says for the first time how it is: one that is gone after that was stopped. */
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
