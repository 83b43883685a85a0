import { assert } from '../support/suite.ts';
import type { Appliance, ScanResult } from './appliance.ts';
import { killContainer } from './kill-container.ts';
import { leastShare, processorTimes } from './used.ts';

/**
 * Minimum share of CPU time of the less busy processor. Both get about as many pages, since the
 * processor with fewer pages gets the next one, but the time per page varies.
 */
const LEAST_SHARE = 0.25;
/** Quick to read; only its destination matters. */
const EASY = 'blank-back-dust.jpg';
/** Takes a second to read, which leaves time to act. */
const LONG = 'letter-bank.jpg';

/** Scans these pages. Fails unless the scan makes a document and delivers it. */
export async function scanPages(
  appliance: Appliance,
  count: number,
  page = EASY,
): Promise<ScanResult> {
  await appliance.load('scanner', { pages: Array.from({ length: count }, () => page) });
  const result = await appliance.scanned({ profile: 'simplex' });
  assert.is(result.page_count, count);
  assert.is(result.documents[0]?.page_count, count);
  assert.is(result.documents[0]?.destinations[0]?.status, 'submitted');
  return result;
}

export async function assertShared(appliance: Appliance, ids: readonly string[]): Promise<void> {
  assert.is(ids.length, 2);
  const before = await processorTimes(appliance, ids);
  await scanPages(appliance, 20);
  const share = await leastShare(appliance, before);
  assert.ok(share >= LEAST_SHARE, `the less busy one did ${(share * 100).toFixed(0)} %`);
}

export async function assertSurvivesKill(appliance: Appliance, id: string): Promise<void> {
  let ended = false;
  const scan = scanPages(appliance, 10, LONG).finally(() => (ended = true));
  const killed = killContainer(appliance, id).then(() => ended);
  const [hadEnded] = await Promise.all([killed, scan]);
  assert.is(hadEnded, false, 'the scan had ended before');
}
