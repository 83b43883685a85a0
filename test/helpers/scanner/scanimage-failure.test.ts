import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Ended } from '../../../helpers/child-process.ts';
import { isFailureCode, type Failure, type FailureCode } from '../../../helpers/failure.ts';
import { announcedExitCode, failureOfExit } from '../../../helpers/scanner/scanimage-failure.ts';
import { ENDED } from '../../support/ended.ts';

const test = suite('what an exit of scanimage means');

const failure = (changes: Partial<Ended>): Failure => failureOfExit({ ...ENDED, ...changes });

test('every exit code is a failure with a sentence', () => {
  for (let exitCode = 0; exitCode <= 255; exitCode += 1) {
    const { code, message } = failure({ exitCode });
    assert.ok(isFailureCode(code));
    assert.match(message, /^[A-Z].{30,}\.$/su, `exit code ${exitCode}: ${message}`);
  }
});

test('a signal is named', () => {
  assert.match(failure({ exitCode: undefined, signal: 'SIGSEGV' }).message, 'SIGSEGV');
  assert.match(failure({ exitCode: undefined }).message, 'exit code none');
});

test('a scanimage that ran out of time says so', () => {
  const { message } = failure({ exitCode: undefined, signal: 'SIGTERM', timedOut: true });
  assert.match(message, 'did not respond in time');
});

test('a scanimage that is not installed says what to install', () => {
  assert.match(failure({ exitCode: 127, notFound: true }).message, 'sane-utils');
});

const BEFORE_START: [string, FailureCode, RegExp][] = [
  [
    'open of device test:9 failed: Invalid argument',
    'no_scanner_detected',
    /Switch the scanner on/u,
  ],
  [
    'open of device airscan:e0:X failed: Out of memory',
    'no_scanner_detected',
    /discovery = disable/u,
  ],
  ['open of device fujitsu:1 failed: Device busy', 'scanner_busy', /Another program/u],
  [
    'setting of option --source failed (Invalid argument)',
    'scan_option_rejected',
    /option source/u,
  ],
  ["unrecognized option '--page-width=3'", 'scan_option_rejected', /option page-width/u],
  ['attempted to set inactive option three-pass', 'scan_option_rejected', /option three-pass/u],
  [
    'option --resolution: bad option value (rest of option: abc)',
    'scan_option_rejected',
    /option resolution/u,
  ],
  ["option '--mode' is ambiguous", 'scan_option_rejected', /option mode/u],
  ['something that nobody knows', 'scanner_error', /nobody knows/u],
];
for (const [line, code, message] of BEFORE_START) {
  test(`exit code 1 with "${line}" is ${code}`, () => {
    const stderr = `Output format is not set, using pnm as a default.\nscanimage: ${line}\n`;
    const found = failure({ exitCode: 1, stderr });
    assert.is(found.code, code);
    assert.match(found.message, message);
    assert.match(found.message, `(scanimage: ${line})`);
  });
}

test('the line that matters is quoted, as one line and not for ever', () => {
  const stderr = `Scanning page 1\nscanimage: sane_read: \u001B[31mjam\rmed${'x'.repeat(999)}\nBatch terminated, 1 page scanned\n`;
  const { message } = failure({ exitCode: 6, stderr });
  assert.not.match(message, /\p{Cc}/u);
  assert.not.match(message, 'Batch terminated');
  assert.ok(message.length < 600);
  assert.match(
    failure({ exitCode: 9, stderr: 'libpng error: Write Error' }).message,
    '(libpng error',
  );
});

test('facts are passed on', () => {
  const { facts } = failureOfExit({ ...ENDED, exitCode: 6 }, { page_count: 3 });
  assert.equal(facts, { page_count: 3 });
});

const LAST_WORDS: [string, number][] = [
  ['scanimage: sane_start: Document feeder out of documents', 7],
  ['scanimage: sane_read: Document feeder jammed', 6],
  ['scanimage: sane_start: Scanner cover is open', 8],
  ['scanimage: sane_read: Error during device I/O', 9],
  ['scanimage: sane_read: A status that nobody knows', 255],
  ['scanimage: rounded value of depth from 7 to 8', 0],
];
for (const [line, exitCode] of LAST_WORDS) {
  test(`"${line}" announces exit code ${exitCode}`, () => {
    const stderr = `Scanning page 3\n${line}\nBatch terminated, 3 pages scanned\n`;
    assert.is(announcedExitCode(stderr), exitCode);
  });
}

test.run();
