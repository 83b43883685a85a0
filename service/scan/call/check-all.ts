import type { Profile } from '../../profiles/profile.ts';
import type { ScanSettings } from '../../profiles/scan-settings.ts';
import type { ScanParts } from '../scan.ts';
import { checkDestinations, type CheckTimes, type Deliverable } from './check-destinations.ts';
import { preflight, type PreflightResult } from './preflight.ts';

export interface CheckParts {
  readonly parts: ScanParts;
  readonly checkTimes: CheckTimes;
}

/**
 * Runs all checks in parallel before paper moves. Throws the problems of the scanner and processor
 * first; otherwise waits for the destinations, which may refuse.
 */
export async function checkAll(
  deliverable: Profile & Deliverable,
  { parts, checkTimes }: CheckParts,
  deadline: AbortSignal,
  asked: ScanSettings = {},
): Promise<PreflightResult & { readonly warnings: string[] }> {
  const destinations = checkDestinations(deliverable, parts.dms, deadline, checkTimes);
  // The check may reject before `preflight` ends, or when nothing awaits it.
  destinations.catch(() => undefined);
  const { workers } = await preflight(deliverable, parts, deadline, asked);
  return { workers, warnings: await destinations };
}
