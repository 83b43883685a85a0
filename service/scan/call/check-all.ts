import type { Profile } from '../../profiles/profile.ts';
import type { ScanSettings } from '../../profiles/scan-settings.ts';
import type { ScanParts } from '../scan.ts';
import { checkDestinations, type CheckTimes, type Deliverable } from './check-destinations.ts';
import { preflight, type PreflightResult } from './preflight.ts';

export interface CheckParts {
  readonly parts: ScanParts;
  readonly checkTimes: CheckTimes;
}

/** Runs all checks before feeding, in parallel. Reports scanner and processor problems first. */
export async function checkAll(
  deliverable: Profile & Deliverable,
  { parts, checkTimes }: CheckParts,
  deadline: AbortSignal,
  asked: ScanSettings = {},
): Promise<PreflightResult & { readonly warnings: string[] }> {
  const destinations = checkDestinations(deliverable, parts.dms, deadline, checkTimes);
  // Without this, an early rejection would end the process.
  destinations.catch(() => undefined);
  const { workers } = await preflight(deliverable, parts, deadline, asked);
  return { workers, warnings: await destinations };
}
