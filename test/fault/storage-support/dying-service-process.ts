import { interceptFileOperations } from './file-operations.ts';
import { KEY, outcome } from './invariants.ts';
import { SHEETS, startService, type ServiceAddresses } from './storage-bench.ts';
import { createStubScanner } from './stub-scanner.ts';

/** What the process is told, as JSON in the variable FAULT_CASE. */
export interface FaultCase extends ServiceAddresses {
  /** Number of the operation that it dies at. */
  readonly at: number;
  readonly moment: 'before' | 'after';
}

/** A service that is killed at a file operation of its first scan, by SIGKILL; it ends by itself when there are fewer. */
const fault = JSON.parse(process.env['FAULT_CASE'] ?? '') as FaultCase;
const withFaults = await interceptFileOperations();
const service = startService(fault, createStubScanner(SHEETS));
await withFaults(
  fault.root,
  async ({ number }, { whole }) => {
    if (number === fault.at && fault.moment === 'before') process.kill(process.pid, 'SIGKILL');
    const result = await whole();
    if (number === fault.at) process.kill(process.pid, 'SIGKILL');
    return result;
  },
  () => outcome(service.scan(KEY)),
);
