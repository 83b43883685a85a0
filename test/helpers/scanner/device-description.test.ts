/** What is made of the options of a device: its description, its sources and its sensors. */
import type { DeviceDescription } from '../../../helpers/ipc/messages.ts';
import { describeDevice } from '../../../helpers/scanner/device-description.ts';
import { parseOptions } from '../../../helpers/scanner/option-lines.ts';
import { sensorsOf, type Sensors } from '../../../helpers/scanner/sensors.ts';
import { sourceInUse, type SourceInUse } from '../../../helpers/scanner/sources.ts';
import { isUnknownSource, namesFeeder } from '../../../helpers/scanner-words.ts';
import { assert, suite } from '../../support/suite.ts';
import { AIRSCAN_ADF, BARE, KODAK_ADF } from './device-samples.ts';

const test = suite('the description of a device');

const describe = (output: string): DeviceDescription => describeDevice('a:b', parseOptions(output));

test('lists the resolutions of a range that has large steps', () => {
  const steps = describe('    --resolution 100..600dpi (in steps of 100) [100]').resolutions;
  assert.equal(steps, [100, 200, 300, 400, 500, 600]);
  const fine = describe('    --resolution 75..1200dpi (in steps of 5) [75]').resolutions;
  assert.equal(fine, { min: 75, max: 1200 });
});

test('takes the size of the paper for the largest page where it can be set', () => {
  assert.equal(describe(KODAK_ADF).max_page, { width_mm: 215.9, height_mm: 355.6 });
});

test('leaves out what the device has not', () => {
  assert.equal(describe(BARE), {
    device: 'a:b',
    sources: [],
    source: undefined,
    modes: [],
    resolutions: [300],
    max_page: undefined,
    options: ['resolution', 'x', 'y', 'eject'],
  });
  assert.equal(describe('').resolutions, []);
  assert.equal(describe('    --mode 1|2 [1]').modes, ['1', '2']);
});

const NAMES: Readonly<Record<string, readonly string[]>> = {
  feeder: ['ADF', 'ADF Duplex', 'ADF Front', 'adf', 'Automatic Document Feeder', 'Card Front'],
  glass: ['Flatbed', 'FlatBed', 'Normal', 'Transparency Unit', 'fb', 'Negative', 'Document Table'],
  unknown: ['Auto'],
};
test('a source is a feeder, a glass or unknown by its name', () => {
  for (const [kind, names] of Object.entries(NAMES)) {
    for (const name of names) {
      const found = [namesFeeder(name), isUnknownSource(name)];
      assert.equal(found, [kind === 'feeder', kind === 'unknown'], name);
    }
  }
});

const IN_ADF = { name: 'ADF', feeder: true, duplex: false };
const SIMPLEX = { 'adf-mode': 'Simplex' };
const PAPER_WIDTH = '    --source Flatbed [inactive]\n    --page-width 0..220mm [216]';
const ADF_MODE = '    --adf-mode Simplex|Duplex [Duplex]\n';
const FEEDER = 'Automatic Document Feeder';
/** The source asked for, the options of the device, those of the request, and what is in use. */
const IN_USE: readonly (readonly [
  source: string | undefined,
  device: string,
  options: Readonly<Record<string, string | boolean>>,
  expected: Partial<SourceInUse>,
])[] = [
  // Without a source the one that the scanner starts with counts.
  [undefined, AIRSCAN_ADF, {}, IN_ADF],
  ['Flatbed', AIRSCAN_ADF, {}, { feeder: false }],
  [undefined, '    --source ADF [ADF] [read-only]', {}, IN_ADF],
  // A scanner without a source to choose is a feeder where its options say so, and else a glass.
  [undefined, BARE, {}, { feeder: true }],
  [undefined, '    --page-loaded[=(yes|no)] [yes] [hardware]', {}, { feeder: true }],
  [undefined, PAPER_WIDTH, {}, { feeder: true }],
  [undefined, '', {}, { feeder: false, duplex: false }],
  [undefined, '    --page-loaded[=(yes|no)] [inactive] [hardware]', {}, { feeder: false }],
  [undefined, '    --source Flatbed [Flatbed]\n    --eject []', {}, { feeder: false }],
  // Duplex is in the name or in an option beside a feeder.
  ['ADF Duplex', '', {}, { duplex: true }],
  ['adf', '', { duplex: true }, { duplex: true }],
  ['adf', '', { duplex: 'yes' }, { duplex: true }],
  [FEEDER, '', { 'adf-mode': 'Duplex' }, { duplex: true }],
  [FEEDER, '', SIMPLEX, { duplex: false }],
  ['ADF', '', { duplex: false }, { duplex: false }],
  ['Flatbed', '', { duplex: true }, { duplex: false }],
  [FEEDER, ADF_MODE, {}, { duplex: true }],
  [FEEDER, ADF_MODE, SIMPLEX, { duplex: false }],
];
for (const [index, [source, device, scanner_options, expected]] of IN_USE.entries()) {
  test(`source ${source} with ${JSON.stringify(scanner_options)} is known (${index})`, () => {
    const found = sourceInUse({ source, scanner_options }, parseOptions(device));
    assert.equal({ ...found, ...expected }, found);
  });
}

test('a scanner that is listed as sheet-fed is a feeder', () => {
  assert.ok(sourceInUse({ scanner_options: {} }, [], true).feeder);
});

/** Options behind their dashes, and the sensors among them. */
const SENSORS: readonly (readonly [lines: readonly string[], found: Sensors])[] = [
  [
    [
      'resolution 50..600dpi (in steps of 1) [600]',
      'ald[=(yes|no)] [yes] [advanced]',
      'page-loaded[=(yes|no)] [yes] [hardware]',
      'scan[=(yes|no)] [no] [hardware]',
      'function <int> [7] [hardware]',
    ],
    { sensors: { 'page-loaded': true, scan: false }, paper: true, function: 7 },
  ],
  // A button that is a number is pressed while it is not 0.
  [
    ['button-1 <int> [0] [hardware]', 'button-2 <int> [1] [read-only]'],
    { sensors: { 'button-1': false, 'button-2': true } },
  ],
  // Inactive sensors, texts and arrays say nothing.
  [
    [
      'page-loaded[=(yes|no)] [inactive] [hardware]',
      'serial <string> [1] [yes] [read-only]',
      'source Document Table [Document Table] [read-only]',
      'x-resolution 50..1200dpi [75.5] [read-only]',
      'gamma-table 0..255,... [hardware]',
    ],
    { sensors: {} },
  ],
  // Of canon_dr and hp5590.
  [['adf-loaded[=(yes|no)] [no] [hardware]'], { sensors: { 'adf-loaded': false }, paper: false }],
  [['doc-in-adf[=(yes|no)] [yes] [read-only]'], { sensors: { 'doc-in-adf': true }, paper: true }],
];
for (const [lines, found] of SENSORS) {
  test(`of ${lines.join(', ')} the sensors are known`, () => {
    const options = parseOptions(lines.map((line) => `    --${line}`).join('\n'));
    assert.equal(sensorsOf(options), found);
  });
}
