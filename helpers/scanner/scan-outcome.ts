import type { Ended } from '../child-process.ts';
import { Failure, type FailureFacts } from '../failure.ts';
import type { ScanRequest, ScanSummary, StopReason } from '../ipc/messages.ts';
import { announcedExitCode, failureOfExit } from './scan-failure.ts';
import type { Halt } from './scan-halt.ts';
import type { SessionEnd } from './scan-session.ts';
import { isUnknownSource } from './sources.ts';

export interface Scanned {
  readonly device: string;
  readonly request: ScanRequest;
  /** The source in use, asked for or the scanner's own. */
  readonly source: string | undefined;
  readonly duplex: boolean;
  readonly pageTimeoutMs: number;
}

/** Options that make pages of other sizes than asked for on purpose. */
const CROPPING = ['swcrop', 'hwcrop', 'hwdeskewcrop', 'ald', 'adf-crp'] as const;

/**
 * What a scan came to: a summary, or a thrown `Failure` with the number of finished pages as `page_count`. Success is a
 * scan that nothing halted but `max_pages`, at least one page, every page complete, and scanimage's exit code 0; or 7,
 * as an empty feeder is the normal end of a stack. An exit code of 0 alone says nothing: scanimage has it after its
 * second signal, for a feeder found empty late, and for a full disk. Where scanimage hung after the last page and had to be
 * killed, the last thing that it said stands for the exit code.
 */
export function outcomeOf(end: SessionEnd, scanned: Scanned): ScanSummary {
  const { count, halt, hungAtEnd } = end;
  const ended = hungAtEnd ? asAnnounced(end.ended) : end.ended;
  const { device, duplex } = scanned;
  const facts = { page_count: count, warnings: [], device, duplex };
  if (halt && halt.kind !== 'max_pages') throw haltFailure(halt, facts, scanned);
  const ranOut = ended.exitCode === 0 || ended.exitCode === 7;
  if (!ranOut) throw withKept(failureOfExit(ended, facts), count);
  if (count === 0) {
    const message = 'The feeder is empty: put paper into it and scan again.';
    throw new Failure('no_documents', message, { facts });
  }
  return { device, duplex, page_count: count, warnings: warningsOf(end, scanned) };
}

function asAnnounced(ended: Ended): Ended {
  const exitCode = announcedExitCode(ended.stderr);
  return { ...ended, exitCode, signal: undefined, timedOut: false };
}

const STOPPED: Readonly<
  Record<StopReason, readonly ['timeout' | 'scanner_runtime_unreachable', string]>
> = {
  cancelled: ['timeout', 'The scan was cancelled before the feeder was empty.'],
  connection_lost: [
    'scanner_runtime_unreachable',
    'The service that asked for the scan went away.',
  ],
  shutting_down: ['scanner_runtime_unreachable', 'The scanner runtime was shut down.'],
};

/** The failure for a scan that was stopped from outside, also when nothing was fed yet. */
export function stopFailure(reason: StopReason, facts: FailureFacts, pageCount: number): Failure {
  const [code, what] = STOPPED[reason];
  const advice =
    'Scan the sheets again that are still in the feeder; one may have passed unscanned.';
  return withKept(new Failure(code, `${what} ${advice}`, { facts }), pageCount);
}

function haltFailure(
  halt: Exclude<Halt, { kind: 'max_pages' }>,
  facts: FailureFacts & { page_count: number },
  { pageTimeoutMs }: Scanned,
): Failure {
  switch (halt.kind) {
    case 'stopped':
      return stopFailure(halt.reason, facts, facts.page_count);
    case 'hang': {
      const message = `The scanner did not deliver page ${halt.page} within ${pageTimeoutMs / 1000} s: look at the feeder, switch the scanner off and on if it does not react, and scan the missing sheets again.`;
      return withKept(new Failure('scanner_error', message, { facts }), facts.page_count);
    }
    case 'failed': {
      const { code, message, cause } = halt.failure;
      const all = { ...halt.failure.facts, ...facts };
      return withKept(new Failure(code, message, { facts: all, cause }), facts.page_count);
    }
  }
}

/** Says that the finished pages are not lost, where there are any. */
function withKept(failure: Failure, pageCount: number): Failure {
  if (pageCount === 0) return failure;
  const kept =
    pageCount === 1 ? 'The finished page is kept.' : `The ${pageCount} finished pages are kept.`;
  const { code, message, facts, cause } = failure;
  return new Failure(code, `${message} ${kept}`, { facts, cause });
}

function warningsOf({ count, halt, otherSizes, leftHalf }: SessionEnd, scanned: Scanned): string[] {
  const { request, source, duplex } = scanned;
  const warnings: string[] = [];
  if (halt?.kind === 'max_pages') {
    warnings.push(
      `The scan ended at max_pages, ${request.max_pages}: sheets may be left in the feeder, or have passed it without being kept.`,
    );
  }
  if (leftHalf && !halt) {
    warnings.push(
      'Another page was begun and not finished, though the scanner reported no fault: check that the last sheet is there.',
    );
  }
  if (duplex && count % 2 === 1) {
    warnings.push(
      `${count} pages are no whole number of sheets in duplex: check that no side is missing.`,
    );
  }
  if (isUnknownSource(source)) {
    warnings.push(
      `The source "${source}" does not say whether it is a feeder, so that one page was scanned.`,
    );
  }
  const { width_mm, height_mm } = request.page_size;
  const cropped = CROPPING.some((name) => isOn(request.scanner_options[name]));
  for (const [size, pages] of cropped ? [] : otherSizes) {
    warnings.push(
      `Page ${pages.join(', ')} measures ${size} instead of ${width_mm} x ${height_mm} mm.`,
    );
  }
  return warnings;
}

function isOn(value: string | number | boolean | undefined): boolean {
  return value !== undefined && value !== false && value !== 'no' && value !== 0;
}
