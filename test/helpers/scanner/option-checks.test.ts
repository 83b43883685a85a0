import { Failure, type FailureFacts } from '../../../helpers/failure.ts';
import type { DeviceRequest } from '../../../helpers/ipc/messages.ts';
import { checkScan, inactiveOptions } from '../../../helpers/scanner/option-checks.ts';
import { parseOptions } from '../../../helpers/scanner/option-lines.ts';
import { assert, suite } from '../../support/suite.ts';
import { AIRSCAN_ADF, BARE, FUJITSU_ADF, KODAK_ADF, REQUEST } from './device-samples.ts';

const test = suite('what is asked for against what the device offers');

type Changes = Partial<DeviceRequest>;

const size = (width_mm: number, height_mm: number): Changes => ({
  page_size: { width_mm, height_mm },
});
const option = (scanner_options: DeviceRequest['scanner_options']): Changes => ({
  scanner_options,
});
const NO_SOURCE = { source: undefined };
const STEPS = '    --resolution 50..600dpi (in steps of 50) [600]';
const FEEDER = '    --source Flatbed|Automatic Document Feeder [Flatbed]';
const LIST = `${AIRSCAN_ADF}    --depth 8|16 [8]\n    --note <string> [x]\n`;

function check(changes: Changes, device = AIRSCAN_ADF): void {
  checkScan({ ...REQUEST, ...changes }, parseOptions(device));
}

const TAKEN: readonly (readonly [what: string, changes: Changes, device?: string])[] = [
  ['both sides', {}],
  ['both sides, of fujitsu', {}, FUJITSU_ADF],
  ['both sides, of kodak', {}, KODAK_ADF],
  ['no source', NO_SOURCE],
  ['a source without a list of values', { source: 'Anything' }, '    --source <string> [x]'],
  ['another mode', { mode: 'Lineart' }, FUJITSU_ADF],
  ['the least of a range', { resolution: 50 }, FUJITSU_ADF],
  ['the most of a range', { resolution: 600 }, FUJITSU_ADF],
  ['a step of a range', { resolution: 300, ...NO_SOURCE }, STEPS],
  ['a page as large as the scanner', size(215.9, 355.6)],
  ['half a millimetre more', size(216.3, 356)],
  ['the size of the paper where the area depends on it', size(220, 2000), FUJITSU_ADF],
  ['any page where the device has no size', { ...NO_SOURCE, ...size(900, 900) }, BARE],
  ['its options', option({ swdeskew: true, 'df-action': 'Stop', swskip: 1.5 }), FUJITSU_ADF],
  ['its options as text', option({ swdeskew: 'no', brightness: '12' }), FUJITSU_ADF],
  ['a button', { ...NO_SOURCE, ...option({ eject: true }) }, BARE],
  ['numbers of a list, and any text', option({ depth: '16', note: 'as you like' }), LIST],
];
for (const [what, changes, device] of TAKEN) {
  test(`${what}: taken`, () => check(changes, device));
}

const SOURCES = ['Flatbed', 'ADF', 'ADF Duplex'];
const RESOLUTIONS = [100, 150, 200, 300, 400, 600];
const OWN_FIELD = /fields of the profile/;
/** What is refused; the facts that are looked at, and what the message says. */
const REFUSED: readonly (readonly [
  changes: Changes,
  facts: FailureFacts,
  said?: RegExp | string,
  device?: string,
])[] = [
  ...['ADF duplex', 'ADF-Duplex', 'Duplex', 'adf duplex', 'ADF Duplex ', 'ADF_DUPLEX'].map(
    (source) =>
      [
        { source },
        { option: 'source', value: source, valid_values: SOURCES, nearest: 'ADF Duplex' },
        new RegExp(`"${source}".*Flatbed, ADF, ADF Duplex.*Did you mean ADF Duplex\\?`, 's'),
      ] as const,
  ),
  [{ source: 'ADF' }, { nearest: 'Automatic Document Feeder' }, '', FEEDER],
  [{ source: 'flat' }, { nearest: 'Flatbed' }, '', FEEDER],
  [{ source: 'ADF' }, { nearest: undefined }, '', '    --source Flatbed [Flatbed]'],
  [{ source: 'ADF' }, { valid_values: [] }, 'leave source out', BARE],
  [{ mode: 'gray' }, { option: 'mode', nearest: 'Gray' }],
  [{ mode: 'Lineart' }, { option: 'mode' }],
  [
    { resolution: 250 },
    { option: 'resolution', value: 250, valid_values: RESOLUTIONS, nearest: 200 },
    '100, 150, 200, 300, 400, 600',
  ],
  [{ resolution: 5000 }, { nearest: 600 }],
  [{ resolution: 1200 }, { nearest: 600, valid_values: ['50 to 600'] }, '50 to 600', FUJITSU_ADF],
  [{ resolution: 49 }, { nearest: 50 }, '', FUJITSU_ADF],
  [
    { resolution: 310, ...NO_SOURCE },
    { nearest: 300, valid_values: ['50 to 600 in steps of 50'] },
    '',
    STEPS,
  ],
  [size(216.5, 297), { option: 'page_size', value: '216.5 x 297 mm' }, '215.9 x 355.6 mm'],
  [size(210, 356.2), { option: 'page_size' }],
  [size(222, 297), { option: 'page_size' }, '', FUJITSU_ADF],
  [
    option({ swdesqew: true }),
    { option: 'swdesqew', nearest: 'swdeskew' },
    /df-action.*Did you mean swdeskew\?/s,
    FUJITSU_ADF,
  ],
  [{ ...option({ x1: 1 }), ...NO_SOURCE }, { option: 'x1', nearest: undefined }, '', ''],
  // Options of scanimage itself are none of the device.
  ...['batch', 'format', 'device-name', 'output-file'].map(
    (name) => [option({ [name]: '/etc/x' }), { option: name }] as const,
  ),
  // A sensor cannot be set.
  [option({ scan: true }), { option: 'scan' }, '', FUJITSU_ADF],
  [option({ threshold: 5 }), { option: 'threshold' }, 'inactive', FUJITSU_ADF],
  ...['source', 'mode', 'resolution', 'x', 'page-width', 'pagewidth'].map(
    (name) => [option({ [name]: 1 }), { option: name }, OWN_FIELD] as const,
  ),
  [option({ swdeskew: 'maybe' }), { value: 'maybe' }, '', FUJITSU_ADF],
  [option({ 'df-action': 'stop' }), { nearest: 'Stop' }, '', FUJITSU_ADF],
  [option({ brightness: 200 }), { nearest: 127 }, '', FUJITSU_ADF],
  [option({ brightness: 'much' }), { nearest: -127 }, '', FUJITSU_ADF],
  [option({ brightness: true }), { option: 'brightness' }, '', FUJITSU_ADF],
  [option({ depth: 12 }), { nearest: 8 }, '', LIST],
];
for (const [index, [changes, expected, said = '', device]] of REFUSED.entries()) {
  test(`${JSON.stringify(changes)} is refused (${index})`, () => {
    try {
      check(changes, device);
    } catch (error) {
      assert.instance(error, Failure);
      const { code, facts, message } = error as Failure;
      assert.is(code, 'scan_option_rejected');
      for (const [name, value] of Object.entries(expected)) assert.equal(facts[name], value, name);
      assert.match(message, said);
      return;
    }
    assert.unreachable('expected a rejection');
  });
}

test('inactive options of a request are found', () => {
  const request = { ...REQUEST, scanner_options: { 'df-skew': true, swdeskew: true, nothing: 1 } };
  assert.equal(inactiveOptions(request, parseOptions(FUJITSU_ADF)), ['df-skew']);
});
