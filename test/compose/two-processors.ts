import { assert } from '../support/suite.ts';
import type { Appliance, ScanResult } from './appliance.ts';
import { killContainer } from './kill-container.ts';
import { leastShare, processorTimes } from './used.ts';

/**
 * Of what both processors compute for a scan, the share that the less busy one has at least. Each page goes to the one that
 * has the fewest; what is left to chance is which of two pages takes longer.
 */
const LEAST_SHARE = 0.25;
/** There is little on it: where it goes is the question. */
const EASY = 'blank-back-dust.jpg';
/** It takes a second to read it: time to do something in. */
const LONG = 'letter-bank.jpg';

/** A scan of so many pages that has a document and was delivered. */
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

/** That the pages of a scan are spread over two processors. */
export async function assertShared(appliance: Appliance, ids: readonly string[]): Promise<void> {
  assert.is(ids.length, 2);
  const before = await processorTimes(appliance, ids);
  await scanPages(appliance, 20);
  const share = await leastShare(appliance, before);
  assert.ok(share >= LEAST_SHARE, `the less busy one did ${(share * 100).toFixed(0)} %`);
}

/** That a scan is none the worse for this processor being killed in its middle. */
export async function assertSurvivesKill(appliance: Appliance, id: string): Promise<void> {
  let ended = false;
  const scan = scanPages(appliance, 10, LONG).finally(() => (ended = true));
  const killed = killContainer(appliance, id).then(() => ended);
  const [hadEnded] = await Promise.all([killed, scan]);
  assert.is(hadEnded, false, 'the scan had ended before');
}
