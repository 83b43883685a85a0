import path from 'node:path';
import { readStoredRecord, type StoredRecord } from '../../support/stored-record.ts';
import { shippedPage } from '../../support/pages.ts';
import type { StoredDocument } from '../../../simulators/sample-dms/library.ts';
import { pageCountOf } from './dms-part.ts';
import { SCAN_SECONDS, SECRETS, type Call, type FaultBench } from './fault-bench.ts';
import {
  brokenAccount,
  brokenDeliveries,
  brokenPages,
  brokenRecord,
  lateAnswer,
  leakedSecrets,
  missingDeliveries,
  pagesOnDisk,
  recordText,
} from './invariants.ts';
import { nativeProgramsLeft } from './native-programs.ts';

/** A page that is recognised in no time. */
export const BLANK_PAGE = shippedPage('blank-back-plain').file;

/** A scan that a fault struck. */
export interface StruckScan {
  /** Undefined when no scan was begun. */
  readonly id: string | undefined;
  readonly call: Call;
  /** The service itself was killed, so that its callers could not be answered. */
  readonly serviceKilled?: boolean;
  /** `false` where the caller goes on with a scan of its own. */
  readonly nextScan?: boolean;
}

/**
 * Checks every invariant after a fault, when all parts run again: picks the scan up as a person would, and scans once more.
 * Resolves with what is broken, one sentence each.
 */
export async function brokenAfter(bench: FaultBench, struck: StruckScan): Promise<string[]> {
  const { call, id, serviceKilled = false, nextScan = true } = struck;
  await bench.appliance.untilScannerFree();
  const broken = lateAnswer(call.ms, SCAN_SECONDS);
  if (!call.answer && !serviceKilled) broken.push('the caller got no answer');
  const { sheetsLeft } = bench.appliance.scanner.state;
  if (call.answer?.status === 200 && sheetsLeft > 0) broken.push('sheets were left out silently');
  if (id !== undefined) broken.push(...(await brokenScan(bench, id)));
  if (nextScan) broken.push(...(await brokenNextScan(bench)));
  broken.push(...(await nativeProgramsLeft(bench.directories)).map((one) => `${one} lives`));
  bench.lookAtProcesses();
  broken.push(...leakedSecrets(bench.takeSeen(), SECRETS));
  return broken;
}

/** Checks a scan, and brings it to its end. */
async function brokenScan(bench: FaultBench, id: string): Promise<string[]> {
  const directory = path.join(bench.appliance.scansDir, id);
  const told = pagesTold(bench, id);
  const broken = [...(await brokenPages(directory, told)), ...(await brokenRecord(directory))];
  if (broken.length > 0) return broken;
  const pages = await pagesOnDisk(directory);
  broken.push(...(await brokenResume(bench, id, pages.length)));
  const seen = await recordText(directory);
  broken.push(...leakedSecrets([seen], SECRETS), ...(await brokenRecord(directory)));
  if (pages.length === 0 || broken.length > 0) return broken;
  const record = await readStoredRecord(directory);
  const stored = await bench.dms.documents();
  return [
    ...(await brokenPages(directory, [...told, ...pages])),
    ...(await brokenAccount(directory)),
    ...brokenDeliveries(record, stored),
    ...missingDeliveries(record, stored),
    ...(await brokenPageCount(record, stored, pages.length)),
  ];
}

/** Names of the pages that the service has told its log to be finished. */
function pagesTold({ appliance }: FaultBench, id: string): string[] {
  return appliance.service
    .output()
    .split('\n')
    .filter((line) => line.includes(id) && line.includes('"event":"scan_page"'))
    .map((line) => (JSON.parse(line) as { page: number }).page)
    .map((page) => `page-${String(page).padStart(4, '0')}.tif`);
}

/** Resumes a scan; an upload of which nobody knows is made again when the DMS does not have it. */
async function brokenResume(bench: FaultBench, id: string, pages: number): Promise<string[]> {
  const first = await bench.resume(id);
  if (pages === 0) {
    const error = first.answer?.json?.['error'];
    return error === 'scan_not_resumable' ? [] : [`resume without a page: ${first.answer?.text}`];
  }
  if (first.answer?.status !== 200) return [`resume: ${first.answer?.text}`];
  const record = await readStoredRecord(path.join(bench.appliance.scansDir, id));
  const inDoubt = record.documents.some(({ outcomes }) => outcomes.includes('unknown'));
  const missing = missingDeliveries(record, await bench.dms.documents());
  if (!inDoubt || missing.length === 0) return [];
  const second = await bench.resume(id, { resend_unknown: true });
  return second.answer?.status === 200 ? [] : [`resume again: ${second.answer?.text}`];
}

async function brokenPageCount(
  { scan_id }: StoredRecord,
  stored: readonly StoredDocument[],
  expected: number,
): Promise<string[]> {
  const own = stored.filter(({ original_file_name: name }) => name.startsWith(scan_id));
  const counts = await Promise.all(own.map(pageCountOf));
  const count = counts.reduce((sum, pages) => sum + pages, 0);
  return count === expected ? [] : [`the DMS has ${count} pages of ${expected}`];
}

/** The next scan works without help. */
async function brokenNextScan(bench: FaultBench): Promise<string[]> {
  bench.appliance.scanner.load([BLANK_PAGE]);
  const { answer } = await bench.scan();
  const submitted = answer?.status === 200 && answer.text.includes('"status":"submitted"');
  return submitted ? [] : [`the next scan: ${answer?.text}`];
}
