import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseOptions, type ScannerOption } from '../../../helpers/scanner/option-lines.ts';

const test = suite('options as scanimage prints them');

function only(line: string): ScannerOption {
  const [option, ...others] = parseOptions(`  Group:\n${line}\n        An explanation.\n`);
  assert.is(others.length, 0);
  assert.ok(option);
  return option;
}

test('a list of words keeps the spelling of each', () => {
  const option = only('    --source Flatbed|ADF|ADF Duplex [Flatbed]');
  assert.equal(option, {
    name: 'source',
    constraint: { kind: 'words', values: ['Flatbed', 'ADF', 'ADF Duplex'] },
    unit: '',
    current: 'Flatbed',
    active: true,
    settable: true,
  });
});

test('a list of numbers has its unit behind the last', () => {
  const option = only('    --resolution 100|150|200|300|400|600dpi [300]');
  assert.equal(option.constraint, { kind: 'numbers', values: [100, 150, 200, 300, 400, 600] });
  assert.is(option.unit, 'dpi');
  assert.is(option.current, '300');
});

test('a list that looks like numbers but for one word is a list of words', () => {
  const option = only('    --df-thickness 0|1|auto mm [0]');
  assert.equal(option.constraint, { kind: 'words', values: ['0', '1', 'auto mm'] });
  assert.equal(only('    --mode |Gray []').constraint, { kind: 'words', values: ['', 'Gray'] });
});

test('a range has its step', () => {
  const option = only('    --page-width 0..224.846mm (in steps of 0.0211639) [215.872]');
  assert.equal(option.constraint, { kind: 'range', min: 0, max: 224.846, step: 0.0211639 });
  assert.is(option.unit, 'mm');
  assert.is(option.current, '215.872');
});

test('a range may be negative, without a unit and without a step', () => {
  const { constraint, unit } = only('    --brightness -127..127 [0]');
  assert.equal(constraint, { kind: 'range', min: -127, max: 127, step: 0 });
  assert.is(unit, '');
});

test('a range may be printed with an exponent', () => {
  const { constraint } = only('    --exposure 1e-05..2.5e+06us (in steps of 1e-05) [3]');
  assert.equal(constraint, { kind: 'range', min: 1e-5, max: 2.5e6, step: 1e-5 });
});

test('an option of one letter has one dash', () => {
  const option = only('    -x 0..215.9mm [215.9]');
  assert.is(option.name, 'x');
  assert.is(option.unit, 'mm');
});

test('a boolean is one, whatever it stands at', () => {
  const option = only('    --swdeskew[=(yes|no)] [no] [advanced]');
  assert.equal(option.constraint, { kind: 'bool' });
  assert.is(option.current, 'no');
  assert.ok(option.active && option.settable);
  assert.equal(only('    --gamma[=(auto|yes|no)] [yes]').constraint, { kind: 'bool' });
});

test('an inactive option has no current value', () => {
  const option = only('    --page-height 0..2750.47mm (in steps of 0.0211639) [inactive]');
  assert.not(option.active);
  assert.is(option.current, undefined);
  assert.equal(option.constraint, { kind: 'range', min: 0, max: 2750.47, step: 0.0211639 });
  assert.not(only('    --three-pass[=(yes|no)] [inactive]').active);
});

test('buttons and sensors of the device cannot be set', () => {
  const button = only('    --scan[=(yes|no)] [no] [hardware]');
  assert.not(button.settable);
  assert.is(button.current, 'no');
  assert.not(only('    --page-loaded[=(yes|no)] [yes] [read-only]').settable);
  const odd = only('    --scan[=(yes|no)] [inactive] [hardware]');
  assert.not(odd.active || odd.settable);
});

test('an option without a value is a button', () => {
  assert.equal(only('    --calibrate').constraint, { kind: 'button' });
  const inactive = only('    --calibrate [inactive]');
  assert.equal(inactive.constraint, { kind: 'button' });
  assert.not(inactive.active);
});

test('an option that takes anything says so', () => {
  const option = only('    --string <string> [This [is] the contents]');
  assert.equal(option.constraint, { kind: 'any' });
  assert.is(option.current, 'This [is] the contents');
  assert.equal(only('    --int <int> [42] [advanced]').constraint, { kind: 'any' });
  assert.equal(only('    --fixed <float> [inactive]').constraint, { kind: 'any' });
});

test('an option of many values is read as one of them', () => {
  const option = only('    --red-gamma-table 0..255,... (in steps of 1) [advanced]');
  assert.equal(option.constraint, { kind: 'range', min: 0, max: 255, step: 1 });
  assert.is(option.current, undefined);
});

test('the choice that a device may make itself is none of its values', () => {
  const option = only('    --resolution auto|75|150dpi [75]');
  assert.equal(option.constraint, { kind: 'numbers', values: [75, 150] });
});

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

test.run();
