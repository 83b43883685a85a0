import { Failure, type FailureFacts } from '../failure.ts';
import { lostSheetsWarning } from '../ipc/scan-facts.ts';
import type { FedStack, StopReason } from '../ipc/messages.ts';
import { lostConnection } from './saned-link.ts';
import type { Halt } from './scan-halt.ts';
import type { SessionEnd } from './scan-session.ts';
import { lostSheets, scanWarnings, type Scanned } from './scan-warnings.ts';
import { failureOf, trueEnd } from './true-end.ts';

/**
 * Returns a summary, or throws a `Failure` with page count and warnings. A scan succeeds if it has
 * pages, all of them complete, if nothing but `max_pages` halted it, and if scanimage exited with 0
 * or with 7 (feeder empty, the normal end of a stack). Exit code 0 proves nothing by itself:
 * scanimage also exits with 0 after a second signal, for a feeder found empty late, and for a full
 * disk. Its last message decides (true-end.ts).
 */
export function outcomeOf(sessionEnd: SessionEnd, scanned: Scanned): FedStack {
  const end = { ...sessionEnd, ended: trueEnd(sessionEnd.ended, sessionEnd.hungAtEnd) };
  const { count, halt, ended } = end;
  const { device, source, request } = scanned;
  const { duplex } = source;
  const lost = lostSheets(end, { device, feeder: source.feeder });
  const last = count > 0 ? request.first_page + count - 1 : undefined;
  const warnings = [...scanWarnings(end, scanned), ...lostSheetsWarning(lost, last)];
  const facts = { page_count: count, warnings, device, duplex };
  if (halt && halt.kind !== 'max_pages') throw haltFailure(halt, facts, scanned);
  if (ended.exitCode !== 0 && ended.exitCode !== 7) throw failureOf(ended, device, facts);
  if (count === 0) throw new Failure('no_documents', NO_DOCUMENTS, { facts });
  return { device, duplex, page_count: count, warnings };
}

/**
 * Does not claim that nothing was fed: sane-airscan also reports an empty feeder, and loses the
 * pages, if a job ends before its threads notice (device_start_wait in airscan-device.c, 0.99.27 to
 * 0.99.37).
 */
const NO_DOCUMENTS =
  'The scanner reports that the feeder is empty, and it delivered no page. Put the paper into the feeder, with any sheet that has just passed through it, and scan again.';

const STOPPED: Readonly<
  Record<StopReason, readonly ['timeout' | 'scanner_runtime_unreachable', string]>
> = {
  cancelled: ['timeout', 'The scan was stopped before the feeder was empty.'],
  connection_lost: [
    'scanner_runtime_unreachable',
    'The scan was stopped because the service that asked for it went away.',
  ],
  shutting_down: [
    'scanner_runtime_unreachable',
    'The scanner runtime is shutting down and scans no more sheets.',
  ],
};

/** The message also fits if nothing was fed yet. */
export function stopFailure(reason: StopReason, facts: FailureFacts = {}): Failure {
  const [code, what] = STOPPED[reason];
  return new Failure(code, `${what} Scan the sheets that are left in the feeder.`, { facts });
}

function haltFailure(
  halt: Exclude<Halt, { kind: 'max_pages' }>,
  facts: FailureFacts,
  { pageTimeoutMs }: Scanned,
): Failure {
  switch (halt.kind) {
    case 'stopped':
      return stopFailure(halt.reason, facts);
    case 'hang': {
      const message = `The scanner did not deliver page ${halt.page} within ${pageTimeoutMs / 1000} s. Look at the feeder, switch the scanner off and on if it does not react, and scan the missing sheets again.`;
      return new Failure('scanner_error', message, { facts });
    }
    case 'cut_off':
      return lostConnection(halt.host, facts);
    case 'failed': {
      const { code, message, cause } = halt.failure;
      return new Failure(code, message, { facts: { ...halt.failure.facts, ...facts }, cause });
    }
  }
}
