import { until } from '../compose/appliance.ts';
import type { Answer, Lab } from './lab.ts';

/** Polling interval: each request costs the busy emulated machine time. */
export const LOOK_EVERY_MS = 1000;

/** Time limit for a scan to begin after its button was pressed, on a busy machine. */
const BEGIN_MS = 600_000;

export interface Summary {
  readonly scan_id: string;
  readonly profile: string;
  readonly state: string;
  readonly page_count: number;
}

export async function scansOf(lab: Lab): Promise<readonly Summary[]> {
  const { body } = await lab.request('GET', '/scans?limit=100');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an answer of the service
  return body['scans'] as readonly Summary[];
}

export async function begunScan(
  lab: Lab,
  profile: string,
  known: readonly Summary[],
): Promise<string> {
  const ids = new Set(known.map(({ scan_id }) => scan_id));
  let found: Summary | undefined;
  const look = async (): Promise<boolean> => {
    const scans = await scansOf(lab);
    found = scans.find((scan) => scan.profile === profile && !ids.has(scan.scan_id));
    return found !== undefined;
  };
  await until(BEGIN_MS, `a scan of ${profile}`, look, LOOK_EVERY_MS);
  return found?.scan_id ?? '';
}

/** The record of a finished scan. The event stream stays open until its end. */
export async function endedScan(lab: Lab, scanId: string): Promise<Answer> {
  await lab.bytes(`/scans/${scanId}/events`);
  return lab.request('GET', `/scans/${scanId}`);
}
