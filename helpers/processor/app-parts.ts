import type { Log } from '../log.ts';
import type { InstalledTools } from './installed-tools.ts';
import type { RequestDesk } from './request-desk.ts';
import type { TimeLimits } from './time-limits.ts';
import type { Toolbox } from './toolbox.ts';

/** What the HTTP interface stands on. */
export interface AppParts {
  readonly desk: RequestDesk;
  readonly tools: InstalledTools;
  readonly toolbox: Toolbox;
  readonly limits: TimeLimits;
  readonly workers: number;
  readonly log: Log;
}
