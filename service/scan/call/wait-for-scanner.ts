import { setTimeout as wait } from 'node:timers/promises';
import type { ScannerClient } from '../../scanner/scanner-client.ts';
import { scanInProgress } from './running-scans.ts';

/** A sheet on its way takes some seconds, and the runtime gives a scanner that does not let go 12 s. */
const LONGEST_WAIT_MS = 30_000;
const LOOK_EVERY_MS = 200;

/**
 * Resolves when the scanner runtime works on nothing in a scan directory any more. A service that was killed may be back
 * before the sheet on its way is through: that page belongs to the scan. Throws Failure `scan_in_progress` when it takes
 * longer than any sheet, and `scanner_runtime_unreachable` when the runtime is there but does not answer.
 */
export async function waitForScanner(
  { id, directory }: { readonly id: string; readonly directory: string },
  scanner: Pick<ScannerClient, 'scanning'>,
  signal: AbortSignal,
): Promise<void> {
  const latest = performance.now() + LONGEST_WAIT_MS;
  while ((await scanner.scanning(signal)).some((scan) => scan.directory === directory)) {
    if (performance.now() > latest) throw scanInProgress(id);
    await wait(LOOK_EVERY_MS, undefined, { signal });
  }
}
