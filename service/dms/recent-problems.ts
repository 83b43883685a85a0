import type { DmsDestination } from '../destinations/destination.ts';
import { systemOf } from './find-object.ts';

/** What went wrong with a system as such, lately: it could not be reached, or it refused the token. */
export interface RecentProblems {
  /** Undefined: the system has just worked. */
  readonly note: (destination: DmsDestination, problem: string | undefined) => void;
  readonly of: (destination: DmsDestination) => string | undefined;
}

/** How long a problem counts, in milliseconds: long enough for the next stack of the same person. */
const KEPT_MS = 60_000;

export function createRecentProblems(keptMs = KEPT_MS): RecentProblems {
  const problems = new Map<string, { readonly problem: string; readonly notedAt: number }>();
  const keyOf = (destination: DmsDestination): string =>
    `${systemOf(destination)}\n${destination.token_secret}`;
  return {
    note: (destination, problem) => {
      if (problem === undefined) problems.delete(keyOf(destination));
      else problems.set(keyOf(destination), { problem, notedAt: performance.now() });
    },
    of: (destination) => {
      const found = problems.get(keyOf(destination));
      return found && performance.now() - found.notedAt < keptMs ? found.problem : undefined;
    },
  };
}
