import { setTimeout as wait } from 'node:timers/promises';
import type { ScannerClient } from '../../scanner/scanner-client.ts';
import { scanInProgress } from './running-scans.ts';

/** A sheet takes seconds, and the runtime may need 12 s to close the scanner. */
const LONGEST_WAIT_MS = 30_000;
const LOOK_EVERY_MS = 200;

/**
 * Waits until the runtime has left the scan directory, because a service may restart while its last
 * sheet is moving. Throws Failure `scan_in_progress` or `scanner_runtime_unreachable`.
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
