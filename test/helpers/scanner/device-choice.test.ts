import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Failure } from '../../../helpers/failure.ts';
import type { Device } from '../../../helpers/ipc/messages.ts';
import { isDeviceName, lastingName } from '../../../helpers/device-names.ts';
import { chooseDevice } from '../../../helpers/scanner/device-choice.ts';

const test = suite('which device is meant');

const device = (name: string, vendor: string, model: string): Device => ({
  name,
  vendor,
  model,
  type: 'scanner',
});
const CAMERA = device('v4l:/dev/video0', 'Noname', 'Webcam');
const FUJITSU = device('fujitsu:fi-7160:4711', 'FUJITSU', 'fi-7160');
const BROTHER = device('airscan:e0:Brother ADS', 'eSCL', 'Brother ADS');

function refusal(wanted: string, devices: readonly Device[]): Failure {
  try {
    chooseDevice(wanted, devices);
  } catch (error) {
    return error as Failure;
  }
  return assert.unreachable('expected a failure') as never;
}

test('a name with a backend is a device name', () => {
  for (const name of [
    'test:0',
    'airscan:e2:Büro Scanner 1',
    'net:host:fujitsu:fi',
    'mustek_pp:x',
  ]) {
    assert.ok(isDeviceName(name), name);
  }
  for (const name of ['auto', 'Fujitsu', 'fi-7160', 'test:', ':0', 'a b:c']) {
    assert.not(isDeviceName(name), name);
  }
});

test('auto is the only scanner, and cameras are none', () => {
  assert.is(chooseDevice('auto', [CAMERA, FUJITSU]), FUJITSU.name);
});

test('auto with several scanners names them all', () => {
  const { code, message, facts } = refusal('auto', [FUJITSU, CAMERA, BROTHER]);
  assert.is(code, 'scan_option_rejected');
  assert.equal(facts, {
    option: 'device',
    value: 'auto',
    valid_values: [FUJITSU.name, 'Brother ADS'],
  });
  assert.match(message, FUJITSU.name);
  assert.match(message, 'eSCL Brother ADS');
});

test('a device is offered by its model where its name is a position, unless another has that model', () => {
  const usb = device('genesys:libusb:001:006', 'Canon', 'LiDE 220');
  const twin = device('airscan:e1:Brother ADS 2', 'eSCL', 'Brother ADS 2');
  assert.is(lastingName(usb, [usb, FUJITSU]), 'LiDE 220');
  assert.is(lastingName(FUJITSU, [usb, FUJITSU]), FUJITSU.name);
  assert.is(lastingName(BROTHER, [BROTHER, twin]), BROTHER.name, 'both hold these words');
  assert.is(lastingName(twin, [BROTHER, twin]), 'Brother ADS 2');
});

test('auto without a scanner says what to do', () => {
  const { code, message } = refusal('auto', [CAMERA]);
  assert.is(code, 'no_scanner_detected');
  assert.match(message, 'Switch it on');
});

test('a part of vendor and model is enough, whatever its case', () => {
  assert.is(chooseDevice('fujitsu', [FUJITSU, BROTHER]), FUJITSU.name);
  assert.is(chooseDevice('brother ads', [FUJITSU, BROTHER]), BROTHER.name);
  assert.is(chooseDevice('Fujitsu FI', [FUJITSU, BROTHER]), FUJITSU.name);
});

test('a part that fits several is refused', () => {
  const twin = device('fujitsu:fi-7160:4712', 'FUJITSU', 'fi-7160');
  assert.equal(refusal('fi-7160', [FUJITSU, twin]).facts['valid_values'], [
    FUJITSU.name,
    twin.name,
  ]);
});

test('a part that fits none names what is there', () => {
  const { code, message } = refusal('Canon', [FUJITSU]);
  assert.is(code, 'no_scanner_detected');
  assert.match(message, 'Canon');
  assert.match(message, FUJITSU.name);
});

test.run();
