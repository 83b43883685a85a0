import type { Ended } from '../child-process.ts';
import { Failure, type FailureCode, type FailureFacts } from '../failure.ts';

/**
 * The failure for each exit code. Once the device is open and its options are set, the exit code is
 * the SANE status (sane/sane.h). Earlier errors exit with 1, which is a status too, so the printed
 * text decides. For 0, see `true-end.ts`.
 */
const BY_STATUS: Readonly<Record<number, readonly [FailureCode, string, string]>> = {
  1: [
    'scanner_error',
    'The scanner does not support this scan.',
    'Try another source, resolution, mode or page size.',
  ],
  2: ['scan_stopped', 'The scan was stopped at the scanner.', 'Scan the rest of the stack.'],
  3: [
    'scanner_busy_elsewhere',
    'The scanner is busy: another program or person is using it, or it is not ready yet.',
    'Wait until it is free. Then scan again, with any sheet that has just passed through it.',
  ],
  4: [
    'scanner_error',
    'The scanner does not support this combination of settings.',
    'Try another resolution, mode or page size.',
  ],
  5: [
    'scanner_error',
    'The scanner ended the page too early.',
    'Put the sheet back into the feeder and scan again.',
  ],
  6: [
    'scanner_jammed',
    'Paper is jammed in the scanner.',
    'Open it, take the paper out, put the missing sheets back into the feeder and scan them again.',
  ],
  7: ['no_documents', 'The feeder is empty.', 'Put paper into it and scan again.'],
  8: ['cover_open', 'The cover of the scanner is open.', 'Close it and scan again.'],
  9: [
    'scanner_error',
    'The connection to the scanner failed, or two sheets were fed at once.',
    'Look at the feeder, check the cable or the network, and scan again.',
  ],
  10: ['scanner_error', 'The scanner or its driver ran out of memory.', 'Try a lower resolution.'],
  11: [
    'scanner_error',
    'Access to the scanner was denied, or a page could not be written.',
    'Check that the scanner runtime may use the device and write to the output directory.',
  ],
};

/** Statuses that end a batch (sane_strstatus). scanimage does not translate them. */
const STATUS_TEXTS: Readonly<Record<string, number>> = {
  'Operation not supported': 1,
  'Operation was canceled': 2,
  'Device busy': 3,
  'Invalid argument': 4,
  'End of file reached': 5,
  'Document feeder jammed': 6,
  'Document feeder out of documents': 7,
  'Scanner cover is open': 8,
  'Error during device I/O': 9,
  'Out of memory': 10,
  'Access to resource has been denied': 11,
};

/** The exit code that a hanging scanimage was about to return, from its stderr. 0 without error. */
export function announcedExitCode(stderr: string): number {
  const last = stderr
    .split('\n')
    .findLast((line) => /^scanimage: sane_(?:start|read): /u.test(line));
  if (last === undefined) return 0;
  return STATUS_TEXTS[last.replace(/^scanimage: sane_\w+: /u, '')] ?? UNKNOWN_STATUS;
}

const UNKNOWN_STATUS = 255;

const QUOTE_CHARACTERS = 300;

/** The failure for a non-zero exit code or a signal. */
export function failureOfExit(ended: Ended, facts: FailureFacts = {}): Failure {
  const { exitCode, stderr } = ended;
  if (ended.notFound) {
    const what = 'The program scanimage is not installed beside the scanner runtime.';
    return new Failure('scanner_error', what, { remedy: 'Install the package sane-utils.', facts });
  }
  if (exitCode === 1 && announcedExitCode(stderr) !== 1) return failureBeforeStart(stderr, facts);
  const known = exitCode === undefined ? undefined : BY_STATUS[exitCode];
  const [code, what, remedy] = known ?? [
    'scanner_error',
    endingOf(ended),
    'Scan again, and restart the scanner if that does not help.',
  ];
  return new Failure(code, what, { remedy: `${remedy}${quote(stderr)}`, facts });
}

function endingOf({ exitCode, signal, timedOut }: Ended): string {
  if (timedOut) return 'The scanner did not respond in time.';
  if (signal) return `The scanner driver was terminated by ${signal}.`;
  return `The scanner driver failed with exit code ${exitCode ?? 'none'}.`;
}

/** scanimage's last line before the first page, which ends in an English SANE status. */
const OPEN_FAILED = /open of device .* failed: (?<reason>.*)/u;
const REJECTED = [
  /setting of option --?(?<option>[\w-]+) failed/u,
  /attempted to set inactive option (?<option>[\w-]+)/u,
  /option --?(?<option>[\w-]+): bad option value/u,
  /(?:unrecognized|ambiguous) option '--(?<option>[\w-]+)/u,
  /invalid option -- '(?<option>[\w-]+)'/u,
  /option '?--(?<option>[\w-]+)/u,
] as const;

function failureBeforeStart(stderr: string, facts: FailureFacts): Failure {
  const { reason } = OPEN_FAILED.exec(stderr)?.groups ?? {};
  if (reason !== undefined) return openFailed(reason, stderr, facts);
  for (const pattern of REJECTED) {
    const { option } = pattern.exec(stderr)?.groups ?? {};
    if (option !== undefined) {
      const what = `The scanner rejected the value of the option ${option}.`;
      const remedy = `Compare it with what the scanner offers.${quote(stderr)}`;
      return new Failure('scan_option_rejected', what, { remedy, facts: { ...facts, option } });
    }
  }
  const remedy = `Check the scanner and its driver.${quote(stderr)}`;
  return new Failure('scanner_error', 'The scanner driver could not start the scan.', {
    remedy,
    facts,
  });
}

function openFailed(reason: string, stderr: string, facts: FailureFacts): Failure {
  if (reason.startsWith('Device busy')) {
    const what = 'Another program is using the scanner.';
    const remedy = `Close that program, then scan again.${quote(stderr)}`;
    return new Failure('scanner_busy_elsewhere', what, { remedy, facts });
  }
  // Printed by sane-airscan if avahi is not running, so that it cannot discover devices.
  const advice = reason.startsWith('Out of memory')
    ? 'Network discovery is not running here: name the scanner in airscan.conf and set discovery = disable there.'
    : 'Switch the scanner on, check its cable or network address, and check that the scanner runtime may use it.';
  const remedy = `${advice}${quote(stderr)}`;
  return new Failure('no_scanner_detected', 'The scanner cannot be opened.', { remedy, facts });
}

/** Lines of scanimage that explain no error. */
const CHATTER =
  /^(?:Output format is not set|Scanning |Scanned page|Place document|Press |Batch terminated|scanimage: (?:received signal |trying to stop |aborting)|\s*$)/u;

function quote(stderr: string): string {
  const lines = stderr.split(/[\r\n]+/u).filter((line) => !CHATTER.test(line));
  const last = lines.findLast((line) => line.startsWith('scanimage:')) ?? lines.at(-1);
  const text = last?.replaceAll(/\p{Cc}+/gu, ' ').slice(0, QUOTE_CHARACTERS);
  return text ? ` (${text})` : '';
}
