import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { DeviceDescription } from '../../../helpers/ipc/messages.ts';
import { describeDevice } from '../../../helpers/scanner/device-description.ts';
import { parseOptions } from '../../../helpers/scanner/option-lines.ts';
import { BARE, KODAK_ADF } from './device-samples.ts';

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

test.run();
