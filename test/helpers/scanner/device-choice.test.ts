import { isDeviceName, lastingName } from '../../../helpers/device-names.ts';
import type { Failure } from '../../../helpers/failure.ts';
import type { Device } from '../../../helpers/ipc/messages.ts';
import { chooseDevice } from '../../../helpers/scanner/device-choice.ts';
import { assert, suite } from '../../support/suite.ts';

const test = suite('which device is meant');

const device = (name: string, vendor: string, model: string): Device => ({
  name,
  vendor,
  model,
  type: 'scanner',
});
const CAMERA = device('v4l:/dev/video0', 'Noname', 'Webcam');
const FUJITSU = device('fujitsu:fi-7160:4711', 'FUJITSU', 'fi-7160');
const TWIN = device('fujitsu:fi-7160:4712', 'FUJITSU', 'fi-7160');
const BROTHER = device('airscan:e0:Brother ADS', 'eSCL', 'Brother ADS');

test('a name with a backend is a device name', () => {
  for (const name of ['test:0', 'airscan:e2:Büro 1', 'net:host:fujitsu:fi', 'mustek_pp:x']) {
    assert.ok(isDeviceName(name), name);
  }
  for (const name of ['auto', 'Fujitsu', 'fi-7160', 'test:', ':0', 'a b:c']) {
    assert.not(isDeviceName(name), name);
  }
});

test('a device is offered by its model where its name is a position, unless another has that model', () => {
  const usb = device('genesys:libusb:001:006', 'Canon', 'LiDE 220');
  const longer = device('airscan:e1:Brother ADS 2', 'eSCL', 'Brother ADS 2');
  assert.is(lastingName(usb, [usb, FUJITSU]), 'LiDE 220');
  assert.is(lastingName(FUJITSU, [usb, FUJITSU]), FUJITSU.name);
  assert.is(lastingName(BROTHER, [BROTHER, longer]), BROTHER.name, 'both hold these words');
  assert.is(lastingName(longer, [BROTHER, longer]), 'Brother ADS 2');
});

/** What is asked for, which devices are there, and which one is meant: cameras are no scanners. */
const CHOSEN: readonly (readonly [string, readonly Device[], Device])[] = [
  ['auto', [CAMERA, FUJITSU], FUJITSU],
  ['fujitsu', [FUJITSU, BROTHER], FUJITSU],
  ['brother ads', [FUJITSU, BROTHER], BROTHER],
  ['Fujitsu FI', [FUJITSU, BROTHER], FUJITSU],
];
for (const [wanted, devices, { name }] of CHOSEN) {
  test(`"${wanted}" is ${name}`, () => assert.is(chooseDevice(wanted, devices), name));
}

const BOTH = [FUJITSU.name, 'Brother ADS'];
const REJECTED = 'scan_option_rejected';
/** The code, the valid values, and what the message says. */
const REFUSED: readonly (readonly [
  wanted: string,
  devices: readonly Device[],
  code: string,
  valid: readonly string[] | undefined,
  said: RegExp,
])[] = [
  ['auto', [FUJITSU, CAMERA, BROTHER], REJECTED, BOTH, /fujitsu:fi-7160:4711.*eSCL Brother ADS/s],
  ['fi-7160', [FUJITSU, TWIN], REJECTED, [FUJITSU.name, TWIN.name], /4711.*4712/s],
  ['auto', [CAMERA], 'no_scanner_detected', undefined, /Switch it on/],
  ['Canon', [FUJITSU], 'no_scanner_detected', undefined, /Canon.*fujitsu:fi-7160:4711/s],
];
for (const [wanted, devices, code, valid_values, said] of REFUSED) {
  test(`"${wanted}" of ${devices.length} is ${code}, naming what there is`, () => {
    const refusal = (() => {
      try {
        return chooseDevice(wanted, devices);
      } catch (error) {
        return error as Failure;
      }
    })() as Failure;
    assert.is(refusal.code, code);
    assert.match(refusal.message, said);
    if (valid_values)
      assert.equal(refusal.facts, { option: 'device', value: wanted, valid_values });
  });
}
