import { parseOptions, type ScannerOption } from '../../../helpers/scanner/option-lines.ts';
import { assert, suite } from '../../support/suite.ts';

const test = suite('options as scanimage prints them');

const range = (min: number, max: number, step: number): object => ({
  kind: 'range',
  min,
  max,
  step,
});
const words = (...values: string[]): object => ({ kind: 'words', values });
const numbers = (...values: number[]): object => ({ kind: 'numbers', values });
const [BOOL, BUTTON, ANY] = ['bool', 'button', 'any'].map((kind) => ({ kind }));

/** What stands behind the dashes; the constraint; what else is looked at. */
const LINES: readonly (readonly [string, object | undefined, Partial<ScannerOption>?])[] = [
  [
    '--source Flatbed|ADF|ADF Duplex [Flatbed]',
    words('Flatbed', 'ADF', 'ADF Duplex'),
    { name: 'source', unit: '', current: 'Flatbed', active: true, settable: true },
  ],
  [
    '--resolution 100|150|200|300|400|600dpi [300]',
    numbers(100, 150, 200, 300, 400, 600),
    { unit: 'dpi', current: '300' },
  ],
  ['--df-thickness 0|1|auto mm [0]', words('0', '1', 'auto mm')],
  ['--mode |Gray []', words('', 'Gray')],
  [
    '--page-width 0..224.846mm (in steps of 0.0211639) [215.872]',
    range(0, 224.846, 0.0211639),
    { unit: 'mm', current: '215.872' },
  ],
  ['--brightness -127..127 [0]', range(-127, 127, 0), { unit: '' }],
  ['--exposure 1e-05..2.5e+06us (in steps of 1e-05) [3]', range(1e-5, 2.5e6, 1e-5)],
  ['-x 0..215.9mm [215.9]', range(0, 215.9, 0), { name: 'x', unit: 'mm' }],
  ['--swdeskew[=(yes|no)] [no] [advanced]', BOOL, { current: 'no', active: true, settable: true }],
  ['--gamma[=(auto|yes|no)] [yes]', BOOL],
  [
    '--page-height 0..2750.47mm (in steps of 0.0211639) [inactive]',
    range(0, 2750.47, 0.0211639),
    { active: false, current: undefined },
  ],
  ['--three-pass[=(yes|no)] [inactive]', BOOL, { active: false }],
  // Buttons and sensors of the device cannot be set.
  ['--scan[=(yes|no)] [no] [hardware]', BOOL, { settable: false, current: 'no' }],
  ['--page-loaded[=(yes|no)] [yes] [read-only]', BOOL, { settable: false }],
  ['--scan[=(yes|no)] [inactive] [hardware]', BOOL, { settable: false, active: false }],
  ['--calibrate', BUTTON],
  ['--calibrate [inactive]', BUTTON, { active: false }],
  ['--string <string> [This [is] the contents]', ANY, { current: 'This [is] the contents' }],
  ['--int <int> [42] [advanced]', ANY],
  ['--fixed <float> [inactive]', ANY],
  // Of many values one is read.
  [
    '--red-gamma-table 0..255,... (in steps of 1) [advanced]',
    range(0, 255, 1),
    { current: undefined },
  ],
  // The choice that a device may make itself is none of its values.
  ['--resolution auto|75|150dpi [75]', numbers(75, 150)],
];
for (const [line, constraint, expected = {}] of LINES) {
  test(`"${line}" is read`, () => {
    const found = parseOptions(`  Group:\n    ${line}\n        An explanation.\n`);
    assert.is(found.length, 1);
    assert.equal(found[0]?.constraint, constraint);
    assert.equal({ ...found[0], ...expected }, found[0]);
  });
}

test('titles, explanations and messages are no options', () => {
  const output = [
    'Output format is not set, using pnm as a default.',
    '',
    "All options specific to device `airscan:e0:Büro 1':",
    '  Standard:',
    '        --source is explained here [Flatbed]',
    '    --mode Color|Gray [Color]',
    '        Selects the scan mode.',
    '    - not an option',
  ].join('\n');
  assert.equal(
    parseOptions(output).map(({ name }) => name),
    ['mode'],
  );
  assert.equal(parseOptions(''), []);
});
