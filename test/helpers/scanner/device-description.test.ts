import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { DeviceDescription } from '../../../helpers/ipc/messages.ts';
import { describeDevice } from '../../../helpers/scanner/device-description.ts';
import { parseOptions } from '../../../helpers/scanner/option-lines.ts';
import { AIRSCAN_ADF, BARE, FUJITSU_ADF, KODAK_ADF } from './device-samples.ts';

const test = suite('the description of a device');
const describe = (output: string): DeviceDescription => describeDevice('a:b', parseOptions(output));

test('has what a person can choose', () => {
  assert.equal(describe(AIRSCAN_ADF), {
    device: 'a:b',
    sources: ['Flatbed', 'ADF', 'ADF Duplex'],
    source: 'ADF',
    modes: ['Color', 'Gray'],
    resolutions: [100, 150, 200, 300, 400, 600],
    max_page: { width_mm: 215.9, height_mm: 355.6 },
    options: ['resolution', 'mode', 'source', 'l', 't', 'x', 'y', 'brightness'],
  });
});

test('tells a range of resolutions', () => {
  assert.equal(describe(FUJITSU_ADF).resolutions, { min: 50, max: 600 });
});

test('takes the size of the paper for the largest page where it can be set', () => {
  assert.equal(describe(FUJITSU_ADF).max_page, { width_mm: 221.121, height_mm: 3174.95 });
  assert.equal(describe(KODAK_ADF).max_page, { width_mm: 215.9, height_mm: 355.6 });
});

test('offers neither inactive options nor sensors', () => {
  const { options } = describe(FUJITSU_ADF);
  for (const name of ['threshold', 'df-skew', 'scan', 'page-loaded', 'function']) {
    assert.not(options.includes(name), name);
  }
  assert.ok(options.includes('swskip'));
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

test.run();
