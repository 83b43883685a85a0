import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ScanRequest } from '../../../helpers/ipc/messages.ts';
import { detectsPaper, fitRequest } from '../../../helpers/scanner/fit-request.ts';
import { parseOptions } from '../../../helpers/scanner/option-lines.ts';
import { AIRSCAN_ADF, BARE, FUJITSU_ADF } from './device-samples.ts';

const test = suite('a request as the device can do it');

const REQUEST: ScanRequest = {
  device: 'auto',
  source: 'ADF',
  mode: 'Lineart',
  resolution: 300,
  page_size: { width_mm: 210, height_mm: 297 },
  max_pages: 200,
  scanner_options: {},
  directory: '/scans/1',
  first_page: 1,
  first_sheet: 1,
};

const MODES: [string, string, string][] = [
  ['a device that has Lineart', 'Lineart|Gray', 'Lineart'],
  ['one without', 'Color|Gray', 'Gray'],
  [
    'one with other words',
    'Black & White|Gray[Error Diffusion]|True Gray|24bit Color',
    'True Gray',
  ],
  ['one with colour only', '24bit Color', '24bit Color'],
  ['one that has neither', 'Infrared', 'Lineart'],
];

for (const [what, modes, expected] of MODES) {
  test(`Lineart on ${what} is scanned as ${expected}`, () => {
    const options = parseOptions(`    --mode ${modes} [${modes.split('|')[0]}]`);
    assert.is(fitRequest(REQUEST, options).mode, expected);
  });
}

test('another mode that the device has not is left to be refused', () => {
  assert.is(fitRequest({ ...REQUEST, mode: 'Gris' }, parseOptions(AIRSCAN_ADF)).mode, 'Gris');
});

const AUTO: ScanRequest = { ...REQUEST, mode: 'Gray', page_size: 'auto' };
const SWCROP = '    --swcrop[=(yes|no)] [no] [advanced]\n';

test('the page size auto is the largest page', () => {
  const fitted = fitRequest(AUTO, parseOptions(AIRSCAN_ADF));
  assert.equal(fitted.page_size, { width_mm: 215.9, height_mm: 355.6 });
  assert.equal(fitted.scanner_options, {});
  assert.not.ok(detectsPaper(fitted));
  assert.ok(fitRequest(AUTO, parseOptions(BARE)).page_size.height_mm > 300);
});

test('the driver detects the paper where it can now', () => {
  const fitted = fitRequest(AUTO, parseOptions(FUJITSU_ADF + SWCROP));
  assert.equal(fitted.scanner_options, { swcrop: true });
  assert.ok(detectsPaper(fitted));
  const inactive = '    --swcrop[=(yes|no)] [inactive]\n';
  assert.equal(fitRequest(AUTO, parseOptions(FUJITSU_ADF + inactive)).scanner_options, {});
});

test('what the profile says about the detection comes first', () => {
  const asked = { ...AUTO, scanner_options: { swcrop: false } };
  const fitted = fitRequest(asked, parseOptions(FUJITSU_ADF + SWCROP));
  assert.equal(fitted.scanner_options, { swcrop: false });
  assert.not.ok(detectsPaper(fitted));
});

test('a page size in millimetres needs no detection', () => {
  const fitted = fitRequest(REQUEST, parseOptions(FUJITSU_ADF + SWCROP));
  assert.equal(fitted, REQUEST);
});

test.run();
