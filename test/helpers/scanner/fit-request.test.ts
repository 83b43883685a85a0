import type { ScanRequest } from '../../../helpers/ipc/messages.ts';
import { detectsPaper, fitRequest } from '../../../helpers/scanner/fit-request.ts';
import { parseOptions } from '../../../helpers/scanner/option-lines.ts';
import { assert, suite } from '../../support/suite.ts';
import { AIRSCAN_ADF, BARE, FUJITSU_ADF, REQUEST } from './device-samples.ts';

const test = suite('a request as the device can do it');

/** The mode asked for, the modes of the device, and the mode of the scan. */
const MODES: readonly (readonly [string, string, string])[] = [
  ['Lineart', 'Lineart|Gray', 'Lineart'],
  ['Lineart', 'Color|Gray', 'Gray'],
  ['Lineart', 'Black & White|Gray[Error Diffusion]|True Gray|24bit Color', 'True Gray'],
  ['Lineart', '24bit Color', '24bit Color'],
  ['Lineart', 'Infrared', 'Lineart'],
  // Left to be refused.
  ['Gris', 'Color|Gray', 'Gris'],
];
for (const [mode, modes, expected] of MODES) {
  test(`${mode} on a device with ${modes} is scanned as ${expected}`, () => {
    const options = parseOptions(`    --mode ${modes} [${modes.split('|')[0]}]`);
    assert.is(fitRequest({ ...REQUEST, mode }, options).mode, expected);
  });
}

const AUTO: ScanRequest = { ...REQUEST, page_size: 'auto' };
const SWCROP = '    --swcrop[=(yes|no)] [no] [advanced]\n';

test('the page size auto is the largest page', () => {
  const fitted = fitRequest(AUTO, parseOptions(AIRSCAN_ADF));
  assert.equal(fitted.page_size, { width_mm: 215.9, height_mm: 355.6 });
  assert.ok(fitRequest(AUTO, parseOptions(BARE)).page_size.height_mm > 300);
});

/** The device detects the paper where it can now, unless the profile says otherwise or how large a page is. */
const DETECTION: readonly (readonly [ScanRequest, device: string, object, detects: boolean])[] = [
  [AUTO, AIRSCAN_ADF, {}, false],
  [AUTO, FUJITSU_ADF + SWCROP, { swcrop: true }, true],
  [AUTO, `${FUJITSU_ADF}    --swcrop[=(yes|no)] [inactive]\n`, {}, false],
  [{ ...AUTO, scanner_options: { swcrop: false } }, FUJITSU_ADF + SWCROP, { swcrop: false }, false],
  [REQUEST, FUJITSU_ADF + SWCROP, {}, false],
];
for (const [index, [request, device, options, detects]] of DETECTION.entries()) {
  test(`the driver detects the paper, or not (${index})`, () => {
    const fitted = fitRequest(request, parseOptions(device));
    assert.equal(fitted.scanner_options, options);
    assert.is(detectsPaper(fitted), detects);
  });
}
