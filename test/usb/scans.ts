import { until } from '../compose/appliance.ts';
import type { Answer, Lab } from './lab.ts';

/** A look is work for an emulated machine, which has other work meanwhile. */
export const LOOK_EVERY_MS = 1000;

/** For a scan that is begun at the scanner, on a machine that is busy with other work. */
const BEGIN_MS = 600_000;

export interface Summary {
  readonly scan_id: string;
  readonly profile: string;
  readonly state: string;
  readonly page_count: number;
}

/** The newest hundred, the newest first. */
export async function scansOf(lab: Lab): Promise<readonly Summary[]> {
  const { body } = await lab.request('GET', '/scans?limit=100');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an answer of the service
  return body['scans'] as readonly Summary[];
}

/** The newest scan of a profile, when it has begun; `known` are those that it is not. */
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

/** The record of a scan when it has ended: until then its stream stays open. */
export async function endedScan(lab: Lab, scanId: string): Promise<Answer> {
  await lab.bytes(`/scans/${scanId}/events`);
  return lab.request('GET', `/scans/${scanId}`);
}
