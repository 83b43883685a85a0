import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseScanSettings } from '../../../simulators/virtual-scanner/scan-settings.ts';
import { scanSettingsXml } from './escl-client.ts';

const test = suite('scan settings');

test('are read from the body of a request', () => {
  assert.equal(parseScanSettings(scanSettingsXml()), {
    source: 'ADF',
    mode: 'Gray',
    resolution: 100,
    region: { x: 0, y: 0, width: 600, height: 900 },
    format: 'image/png',
  });
});

test('know the three sources', () => {
  assert.is(parseScanSettings(scanSettingsXml({ InputSource: 'Platen' }))?.source, 'Flatbed');
  assert.is(parseScanSettings(scanSettingsXml({ Duplex: 'true' }))?.source, 'ADF Duplex');
});

test('know colour and JPEG', () => {
  const xml = scanSettingsXml({ ColorMode: 'RGB24', DocumentFormat: 'image/jpeg' });
  assert.is(parseScanSettings(xml)?.mode, 'Color');
  assert.is(parseScanSettings(xml)?.format, 'image/jpeg');
});

test('reach as far as the paper of the source does', () => {
  assert.ok(parseScanSettings(scanSettingsXml({ Height: '4200' })));
  assert.not(parseScanSettings(scanSettingsXml({ Height: '4201' })));
  const flatbed = { InputSource: 'Platen', Height: '3508' };
  assert.ok(parseScanSettings(scanSettingsXml(flatbed)));
  assert.not(parseScanSettings(scanSettingsXml({ ...flatbed, Height: '3509' })));
});

for (const [name, value] of [
  ['InputSource', 'Camera'],
  ['ColorMode', 'BlackAndWhite1'],
  ['DocumentFormat', 'application/pdf'],
  ['XResolution', '250'],
  ['YResolution', '200'],
  ['Width', '2551'],
  ['Width', '0'],
  ['XOffset', '-1'],
  ['YOffset', '4000'],
  ['Height', 'tall'],
] as const) {
  test(`are refused with ${name} ${value}`, () => {
    assert.is(parseScanSettings(scanSettingsXml({ [name]: value })), undefined);
  });
}

test.run();
