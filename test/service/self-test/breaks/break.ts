import type { CheckResult } from '../../../../service/self-test/check.ts';
import type { SelfTestBench } from '../self-test-bench.ts';

/** One thing that is broken in an appliance, and what the self-test should say of it. */
export interface Break {
  readonly what: string;
  /** The one check that has a problem then, and its status. */
  readonly check: `${'fail' | 'warn'} ${string}`;
  /** Words of the cause and of the remedy. */
  readonly says: RegExp;
  /** Breaks it. Resolves with how the remedy is followed, where a test can do that: then all is well again. */
  readonly break: (bench: SelfTestBench) => Promise<FollowRemedy | undefined>;
}

/** Gets the check that names the remedy, to take a command or a name from it. */
export type FollowRemedy = (found: CheckResult) => unknown;
