import { identityOf, type DmsDestination } from './destination.ts';

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
  return {
    note: (destination, problem) => {
      if (problem === undefined) problems.delete(identityOf(destination));
      else problems.set(identityOf(destination), { problem, notedAt: performance.now() });
    },
    of: (destination) => {
      const found = problems.get(identityOf(destination));
      return found && performance.now() - found.notedAt < keptMs ? found.problem : undefined;
    },
  };
}
