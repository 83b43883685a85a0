import type { Ended } from '../../../helpers/child-process.ts';
import { isFailureCode, type Failure, type FailureCode } from '../../../helpers/failure.ts';
import type { DeviceRequest } from '../../../helpers/ipc/messages.ts';
import { readEnvironment } from '../../../helpers/scanner/environment.ts';
import { parseOptions } from '../../../helpers/scanner/option-lines.ts';
import { announcedExitCode, failureOfExit } from '../../../helpers/scanner/scanimage-failure.ts';
import {
  describeProgram,
  listProgram,
  parseDeviceList,
  scanProgram,
  setting,
  sourceAndMode,
} from '../../../helpers/scanner/scanimage.ts';
import { sourceInUse } from '../../../helpers/scanner/sources.ts';
import { ENDED } from '../../support/ended.ts';
import { assert, suite } from '../../support/suite.ts';
import { AIRSCAN_ADF, BARE, FUJITSU_ADF, KODAK_ADF, REQUEST } from './device-samples.ts';

const test = suite('command lines and exits of scanimage');

const TOOL = { file: 'scanimage', env: { SANE_CONFIG_DIR: '/etc/sane.d' } };

function commandOf(output: string, changes: Partial<DeviceRequest> = {}): [string, string] {
  const request = { ...REQUEST, directory: '/scans/100%d', first_page: 4, ...changes };
  const options = parseOptions(output);
  const name = "airscan:e0:Büro's";
  const claimed = { name, request, options, source: sourceInUse(request, options) };
  const { args, cwd } = scanProgram(TOOL, claimed);
  return [args.join(' '), cwd];
}

const NO_SOURCE = { source: undefined };
const BATCH = '--format=tiff --batch=page-%04d.tif --batch-start=4 --batch-print --batch-prompt';
const OPTIONS = { swdeskew: true, ald: false, 'df-action': 'Stop', brightness: -3, l: 1 };
const COMMANDS: readonly (readonly [
  what: string,
  device: string,
  changes: Partial<DeviceRequest>,
  has: RegExp | string,
  hasNot?: RegExp,
])[] = [
  [
    'source, settings, area and batch, in this order, and no directory',
    AIRSCAN_ADF,
    {},
    `--device-name=airscan:e0:Büro's --source=ADF Duplex --mode=Gray --resolution=300 -l 0 -t 0 -x 210 -y 297 ${BATCH}`,
    /scans/u,
  ],
  ['one page of the glass', AIRSCAN_ADF, { source: 'Flatbed' }, '--batch-count=1'],
  ['one page of what may be a feeder', AIRSCAN_ADF, { source: 'Auto' }, '--batch-count=1'],
  ['no count for a feeder', AIRSCAN_ADF, { source: 'ADF' }, '--source=ADF ', /--batch-count/u],
  ['the source of the scanner', AIRSCAN_ADF, NO_SOURCE, '', /--source|--batch-count/u],
  [
    'the size of the paper before the area',
    FUJITSU_ADF,
    {},
    '--page-width=210 --page-height=297 -l 0 -t 0 -x 210 -y 297',
  ],
  ['the same as kodak names it', KODAK_ADF, {}, '--pagewidth=210 --pageheight=297 -l 0'],
  [
    'paper no wider than the device takes',
    FUJITSU_ADF,
    { page_size: { width_mm: 221.5, height_mm: 297 } },
    '--page-width=221.121 ',
  ],
  ['no option that the device has not', BARE, NO_SOURCE, "Büro's --resolution=300 --format=tiff"],
  [
    'further options as they are, before the area',
    FUJITSU_ADF,
    { scanner_options: OPTIONS },
    '--resolution=300 --swdeskew=yes --ald=no --df-action=Stop --brightness=-3 -l 1 --page-width',
  ],
];
for (const [what, device, changes, has, hasNot] of COMMANDS) {
  test(`a scan has ${what}`, () => {
    const [command, cwd] = commandOf(device, changes);
    assert.is(cwd, '/scans/100%d');
    assert.match(command, has);
    if (hasNot) assert.not.match(command, hasNot);
  });
}

test('a value is never mistaken for an option', () => {
  assert.equal(setting('source', '--batch'), ['--source=--batch']);
});

test('a device is described with the requested settings', () => {
  const { args, cwd } = describeProgram(TOOL, 'a:b', ['--source=ADF']);
  assert.equal([args, cwd], [['--device-name=a:b', '--source=ADF', '--all-options'], '/']);
  assert.equal(describeProgram(TOOL, 'a:b').args, ['--device-name=a:b', '--all-options']);
  assert.equal(sourceAndMode({ source: 'ADF', mode: 'Gray' }), ['--source=ADF', '--mode=Gray']);
  assert.equal(sourceAndMode({ mode: 'Gray' }), ['--mode=Gray']);
});

test('the list of devices is read field by field', () => {
  const lines = [
    'airscan:e0:Büro | 1\u001FeSCL\u001FBüro | 1\u001Fip=127.0.0.1',
    'test:0\u001F\u001F\u001F',
    'a line of another kind',
    '\u001Fno\u001Fname\u001F',
    '',
  ].join('\n');
  const format = '--formatted-device-list=%d\u001F%v\u001F%m\u001F%t%n';
  assert.equal(listProgram(TOOL).args, [format]);
  assert.equal(parseDeviceList(lines), [
    { name: 'airscan:e0:Büro | 1', vendor: 'eSCL', model: 'Büro | 1', type: 'ip=127.0.0.1' },
    { name: 'test:0', vendor: '', model: '', type: '' },
  ]);
});

const exit = (changes: Partial<Ended>): Failure => failureOfExit({ ...ENDED, ...changes });

test('every exit code is a failure with a message', () => {
  for (let exitCode = 0; exitCode <= 255; exitCode += 1) {
    const { code, message } = exit({ exitCode });
    assert.ok(isFailureCode(code));
    assert.match(message, /^[A-Z].{30,}\.$/su, `exit code ${exitCode}: ${message}`);
  }
});

const NO_CODE = { exitCode: undefined };
const ENDS: readonly (readonly [Partial<Ended>, string])[] = [
  [{ ...NO_CODE, signal: 'SIGSEGV' }, 'SIGSEGV'],
  [NO_CODE, 'exit code none'],
  [{ ...NO_CODE, signal: 'SIGTERM', timedOut: true }, 'did not respond in time'],
  [{ exitCode: 127, notFound: true }, 'sane-utils'],
  [{ exitCode: 9, stderr: 'libpng error: Write Error' }, '(libpng error'],
  [{ exitCode: 1, stderr: 'scanimage: sane_start: Operation not supported' }, 'does not support'],
];
for (const [ended, said] of ENDS) {
  test(`an end by ${JSON.stringify(ended)} says "${said}"`, () => {
    assert.match(exit(ended).message, said);
  });
}

const OPTION: FailureCode = 'scan_option_rejected';
const BEFORE_START: readonly (readonly [string, FailureCode, RegExp])[] = [
  ['open of device test:9 failed: Invalid argument', 'no_scanner_detected', /Switch the scanner/u],
  ['open of device airscan:e0:X failed: Out of memory', 'no_scanner_detected', /discovery = d/u],
  ['open of device fujitsu:1 failed: Device busy', 'scanner_busy_elsewhere', /Another program/u],
  ['setting of option --source failed (Invalid argument)', OPTION, /option source/u],
  ["unrecognized option '--page-width=3'", OPTION, /option page-width/u],
  ['attempted to set inactive option three-pass', OPTION, /option three-pass/u],
  ['option --resolution: bad option value (rest of option: abc)', OPTION, /option resolution/u],
  ["option '--mode' is ambiguous", OPTION, /option mode/u],
  ['something that nobody knows', 'scanner_error', /nobody knows/u],
];
for (const [line, code, message] of BEFORE_START) {
  test(`exit code 1 with "${line}" is ${code}`, () => {
    const stderr = `Output format is not set, using pnm as a default.\nscanimage: ${line}\n`;
    const found = exit({ exitCode: 1, stderr });
    assert.is(found.code, code);
    assert.match(found.message, message);
    assert.match(found.message, `(scanimage: ${line})`);
  });
}

test('the relevant line is quoted and shortened, and facts are passed on', () => {
  const stderr = `Scanning page 1\nscanimage: sane_read: \u001B[31mjam\rmed${'x'.repeat(999)}\nBatch terminated, 1 page scanned\n`;
  const { message, facts } = failureOfExit({ ...ENDED, exitCode: 6, stderr }, { page_count: 3 });
  assert.not.match(message, /\p{Cc}|Batch terminated/u);
  assert.match(message, 'sane_read');
  assert.ok(message.length < 600);
  assert.equal(facts, { page_count: 3 });
});

const LAST_WORDS: readonly (readonly [string, number])[] = [
  ['scanimage: sane_start: Document feeder out of documents', 7],
  ['scanimage: sane_read: Operation not supported', 1],
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

const environment = suite('the environment of the scanner runtime');

const VARIABLES = ['SCANNER_SOCKET', 'SANE_CONFIG_DIR', 'LOG_LEVEL', 'PAGE_TIMEOUT_SECONDS'];
const variables = (...values: string[]): Record<string, string> =>
  Object.fromEntries(values.map((value, index) => [VARIABLES[index], value]));
const settings = (...values: (string | number)[]): object => {
  const [socketPath, saneConfigDir, logLevel, pageTimeoutMs] = values;
  const extraCertificate = undefined;
  return { socketPath, saneConfigDir, extraCertificate, logLevel, pageTimeoutMs };
};

environment('has defaults, even for empty variables, and is read', () => {
  const defaults = settings('/run/scan-service/scanner.sock', '/etc/sane.d', 'info', 120_000);
  assert.equal(readEnvironment({ PATH: '/bin' }), defaults);
  assert.equal(readEnvironment(variables('', '', '', '')), defaults);
  assert.ok(Object.isFrozen(readEnvironment({})));
  const given = variables('/x/s', '/a:/b', 'debug', '30');
  assert.equal(readEnvironment(given), settings('/x/s', '/a:/b', 'debug', 30_000));
});

environment('never gives SANE a search path that ends in the working directory', () => {
  assert.is(readEnvironment(variables('', '/a:')).saneConfigDir, '/a:/etc/sane.d');
  for (const directories of ['conf', ':', '/a::/b', '/a:b'])
    assert.throws(() => readEnvironment(variables('', directories)), /SANE_CONFIG_DIR/);
});

environment('names every wrong variable at once', () => {
  const read = (): unknown => readEnvironment(variables('relative.sock', '', 'loud', 'long'));
  assert.throws(read, /"SCANNER_SOCKET" must be an absolute path of at most 107 bytes/);
  assert.throws(read, /"LOG_LEVEL" must be one of trace, debug/);
  assert.throws(read, /"PAGE_TIMEOUT_SECONDS" must be a number of seconds from 1 to 3600/);
});

environment('refuses a socket path that does not fit into an address', () => {
  assert.is(readEnvironment(variables(`/${'x'.repeat(106)}`)).socketPath.length, 107);
  assert.throws(() => readEnvironment(variables(`/${'ü'.repeat(54)}`)), /SCANNER_SOCKET/);
});
