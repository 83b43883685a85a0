import type { CheckResult } from '../../../../service/self-test/check.ts';
import type { SelfTestBench } from '../self-test-bench.ts';

/** Breaks an appliance. Resolves with how the remedy is followed, where a test can do that: then all is well again. */
export type Break = (bench: SelfTestBench) => Promise<FollowRemedy | undefined>;

/** Gets the check that names the remedy, to take a command or a name from it. */
export type FollowRemedy = (found: CheckResult) => unknown;

/**
 * Each by what is broken, and what the self-test should say of it: `what: fail id: cause and remedy`, of the one check that has a
 * problem then, as `isSaid` takes it.
 */
export type Breaks = Readonly<Record<string, Break>>;

/** Writes a profile beside the default one with a mistake, and then without. */
export function mistake(wrong: string, right: string, file = 'a.yaml'): Break {
  return async ({ write }) => {
    await write(file, wrong);
    return () => write(file, right);
  };
}
