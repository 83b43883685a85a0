import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseOptions } from '../../../helpers/scanner/option-lines.ts';
import { sensorsOf, type Sensors } from '../../../helpers/scanner/sensors.ts';
import { printed, RECORDED_DEVICES } from './recorded-devices.ts';

const test = suite('the sensors of a device');

function sensors(...lines: readonly string[]): Sensors {
  return sensorsOf(parseOptions(lines.map((line) => `    --${line}`).join('\n')));
}

test('what can only be read is a sensor; of it, paper and the function number are known', () => {
  const found = sensors(
    'resolution 50..600dpi (in steps of 1) [600]',
    'ald[=(yes|no)] [yes] [advanced]',
    'page-loaded[=(yes|no)] [yes] [hardware]',
    'scan[=(yes|no)] [no] [hardware]',
    'function <int> [7] [hardware]',
  );
  assert.equal(found, { sensors: { 'page-loaded': true, scan: false }, paper: true, function: 7 });
});

test('a button that is a number is pressed while it is not 0', () => {
  const found = sensors('button-1 <int> [0] [hardware]', 'button-2 <int> [1] [read-only]');
  assert.equal(found, { sensors: { 'button-1': false, 'button-2': true } });
});

test('inactive sensors, texts and arrays say nothing', () => {
  const found = sensors(
    'page-loaded[=(yes|no)] [inactive] [hardware]',
    'serial <string> [1] [yes] [read-only]',
    'source Document Table [Document Table] [read-only]',
    'x-resolution 50..1200dpi [75.5] [read-only]',
    'gamma-table 0..255,... [hardware]',
  );
  assert.equal(found, { sensors: {} });
});

test('canon_dr and hp5590 name their paper sensors otherwise', () => {
  assert.is(sensors('adf-loaded[=(yes|no)] [no] [hardware]').paper, false);
  assert.is(sensors('doc-in-adf[=(yes|no)] [yes] [read-only]').paper, true);
});

test('of the recorded devices, those of fujitsu and epjitsu report paper and have a button', () => {
  const reporting = RECORDED_DEVICES.filter((device) => {
    const found = sensorsOf(parseOptions(printed(device)));
    return found.paper === false && found.sensors['scan'] === false;
  });
  assert.is(reporting.length, 4);
});

test.run();
