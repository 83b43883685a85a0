import type { Log } from '../../log.ts';
import type { CodeReader } from '../codes/code-reader.ts';
import type { InstalledTools } from '../tools/installed-tools.ts';
import type { PaceLimit } from './receive-body.ts';
import type { RequestQueue } from './request-queue.ts';
import type { TimeLimits } from '../tools/time-limits.ts';
import type { Toolbox } from '../tools/toolbox.ts';

export interface AppParts {
  readonly queue: RequestQueue;
  readonly tools: InstalledTools;
  readonly toolbox: Toolbox;
  readonly codes: CodeReader;
  readonly limits: TimeLimits;
  readonly pace: PaceLimit;
  readonly workers: number;
  /** Further names accepted in the Host header. */
  readonly allowedHosts: readonly string[];
  readonly log: Log;
}
