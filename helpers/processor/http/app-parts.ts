import type { Log } from '../../log.ts';
import type { InstalledTools } from '../tools/installed-tools.ts';
import type { RequestDesk } from './request-queue.ts';
import type { TimeLimits } from '../tools/time-limits.ts';
import type { Toolbox } from '../tools/toolbox.ts';

/** What the HTTP interface stands on. */
export interface AppParts {
  readonly desk: RequestDesk;
  readonly tools: InstalledTools;
  readonly toolbox: Toolbox;
  readonly limits: TimeLimits;
  readonly workers: number;
  readonly log: Log;
}
