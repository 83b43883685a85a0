import { setTimeout as wait } from 'node:timers/promises';
import type { ScannerClient } from '../../scanner/scanner-client.ts';
import { scanInProgress } from './running-scans.ts';

/** A sheet takes a few seconds, and the runtime allows 12 s to close the scanner. */
const LONGEST_WAIT_MS = 30_000;
const LOOK_EVERY_MS = 200;

/**
 * Waits until the scanner runtime no longer works in the scan directory. A service that was killed
 * may restart before the current sheet has finished, and that page belongs to the scan. Throws
 * Failure `scan_in_progress` after longer than any sheet takes, and `scanner_runtime_unreachable`
 * if the runtime does not answer.
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
