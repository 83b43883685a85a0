import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Failure, type FailureFacts } from '../../../helpers/failure.ts';
import type { DeviceRequest } from '../../../helpers/ipc/messages.ts';
import { checkScan, inactiveOptions } from '../../../helpers/scanner/option-checks.ts';
import { parseOptions } from '../../../helpers/scanner/option-lines.ts';
import { AIRSCAN_ADF, BARE, FUJITSU_ADF, KODAK_ADF } from './device-samples.ts';

const test = suite('what is asked for against what the device offers');

const REQUEST: DeviceRequest = {
  device: 'a:b',
  source: 'ADF Duplex',
  mode: 'Gray',
  resolution: 300,
  page_size: { width_mm: 210, height_mm: 297 },
  max_pages: 10,
  scanner_options: {},
  directory: '/scans/1',
  first_page: 1,
  first_sheet: 1,
};

const check = (changes: Partial<DeviceRequest>, device = AIRSCAN_ADF): void =>
  checkScan({ ...REQUEST, ...changes }, parseOptions(device));

function refusal(
  changes: Partial<DeviceRequest>,
  device = AIRSCAN_ADF,
): FailureFacts & { message: string } {
  try {
    check(changes, device);
  } catch (error) {
    assert.instance(error, Failure);
    const { code, facts, message } = error as Failure;
    assert.is(code, 'scan_option_rejected');
    return { ...facts, message };
  }
  return assert.unreachable('expected a rejection') as never;
}

test('what the device offers is taken', () => {
  check({});
  check({}, FUJITSU_ADF);
  check({}, KODAK_ADF);
  check({ source: undefined });
});

for (const source of [
  'ADF duplex',
  'ADF-Duplex',
  'Duplex',
  'adf duplex',
  'ADF Duplex ',
  'ADF_DUPLEX',
]) {
  test(`the source "${source}" is refused, and ADF Duplex is the nearest`, () => {
    const { message, ...facts } = refusal({ source });
    const valid_values = ['Flatbed', 'ADF', 'ADF Duplex'];
    assert.equal(facts, { option: 'source', value: source, valid_values, nearest: 'ADF Duplex' });
    assert.match(message, `"${source}"`);
    assert.match(message, 'Flatbed, ADF, ADF Duplex');
    assert.match(message, 'Did you mean ADF Duplex?');
  });
}

test('the nearest of a feeder is a feeder', () => {
  const device = '    --source Flatbed|Automatic Document Feeder [Flatbed]';
  assert.is(refusal({ source: 'ADF' }, device)['nearest'], 'Automatic Document Feeder');
  assert.is(refusal({ source: 'flat' }, device)['nearest'], 'Flatbed');
  assert.is(refusal({ source: 'ADF' }, '    --source Flatbed [Flatbed]')['nearest'], undefined);
});

test('a source is refused where the device has no choice', () => {
  const { message, valid_values } = refusal({ source: 'ADF' }, BARE);
  assert.equal(valid_values, []);
  assert.match(message, 'leave source out');
});

test('a source without a list of values is left to the device', () => {
  check({ source: 'Anything' }, '    --source <string> [x]');
});

test('a mode is compared exactly', () => {
  assert.is(refusal({ mode: 'gray' })['nearest'], 'Gray');
  assert.is(refusal({ mode: 'Lineart' })['option'], 'mode');
  check({ mode: 'Lineart' }, FUJITSU_ADF);
});

test('a resolution of a list is compared exactly, and the nearest told', () => {
  const { message, ...facts } = refusal({ resolution: 250 });
  const valid_values = [100, 150, 200, 300, 400, 600];
  assert.equal(facts, { option: 'resolution', value: 250, valid_values, nearest: 200 });
  assert.match(message, '100, 150, 200, 300, 400, 600');
  assert.is(refusal({ resolution: 5000 })['nearest'], 600);
});

test('a resolution of a range is within it', () => {
  check({ resolution: 50 }, FUJITSU_ADF);
  check({ resolution: 600 }, FUJITSU_ADF);
  const { message, nearest, valid_values } = refusal({ resolution: 1200 }, FUJITSU_ADF);
  assert.is(nearest, 600);
  assert.equal(valid_values, ['50 to 600']);
  assert.match(message, '50 to 600');
  assert.is(refusal({ resolution: 49 }, FUJITSU_ADF)['nearest'], 50);
});

test('a range with steps takes only its steps', () => {
  const device = '    --resolution 50..600dpi (in steps of 50) [600]';
  check({ resolution: 300, source: undefined }, device);
  const { nearest, valid_values } = refusal({ resolution: 310, source: undefined }, device);
  assert.is(nearest, 300);
  assert.equal(valid_values, ['50 to 600 in steps of 50']);
});

test('a page as large as the scanner, with half a millimetre of tolerance, is taken', () => {
  check({ page_size: { width_mm: 215.9, height_mm: 355.6 } });
  check({ page_size: { width_mm: 216.3, height_mm: 356 } });
});

test('a larger page is refused and the largest named', () => {
  const { message, option, value } = refusal({ page_size: { width_mm: 216.5, height_mm: 297 } });
  assert.is(option, 'page_size');
  assert.is(value, '216.5 x 297 mm');
  assert.match(message, '215.9 x 355.6 mm');
  refusal({ page_size: { width_mm: 210, height_mm: 356.2 } });
});

test('the size of the paper counts where the area depends on it', () => {
  check({ page_size: { width_mm: 220, height_mm: 2000 } }, FUJITSU_ADF);
  refusal({ page_size: { width_mm: 222, height_mm: 297 } }, FUJITSU_ADF);
});

test('a device without a page size takes any', () => {
  check({ source: undefined, page_size: { width_mm: 900, height_mm: 900 } }, BARE);
});

test('scanner options that the device has are taken', () => {
  check({ scanner_options: { swdeskew: true, 'df-action': 'Stop', swskip: 1.5 } }, FUJITSU_ADF);
  check({ scanner_options: { swdeskew: 'no', brightness: '12' } }, FUJITSU_ADF);
  check({ source: undefined, scanner_options: { eject: true } }, BARE);
});

test('an option that is not there is refused, and the nearest told', () => {
  const { message, nearest, option } = refusal(
    { scanner_options: { swdesqew: true } },
    FUJITSU_ADF,
  );
  assert.is(option, 'swdesqew');
  assert.is(nearest, 'swdeskew');
  assert.match(message, 'Did you mean swdeskew?');
  assert.match(message, 'df-action');
  assert.is(refusal({ scanner_options: { x1: 1 }, source: undefined }, '')['nearest'], undefined);
});

test('options of scanimage itself are no options of the device', () => {
  for (const name of ['batch', 'format', 'device-name', 'output-file']) {
    assert.is(refusal({ scanner_options: { [name]: '/etc/x' } })['option'], name);
  }
});

test('a sensor cannot be set', () => {
  assert.is(refusal({ scanner_options: { scan: true } }, FUJITSU_ADF)['option'], 'scan');
});

test('an inactive option is refused', () => {
  const { message } = refusal({ scanner_options: { threshold: 5 } }, FUJITSU_ADF);
  assert.match(message, 'inactive');
});

test('what the profile has a field for is no scanner option', () => {
  for (const name of ['source', 'mode', 'resolution', 'x', 'page-width', 'pagewidth']) {
    assert.match(
      refusal({ scanner_options: { [name]: 1 } })['message'] ?? '',
      'fields of the profile',
    );
  }
});

test('values of scanner options are checked by their kind', () => {
  assert.is(refusal({ scanner_options: { swdeskew: 'maybe' } }, FUJITSU_ADF)['value'], 'maybe');
  assert.is(refusal({ scanner_options: { 'df-action': 'stop' } }, FUJITSU_ADF)['nearest'], 'Stop');
  assert.is(refusal({ scanner_options: { brightness: 200 } }, FUJITSU_ADF)['nearest'], 127);
  assert.is(refusal({ scanner_options: { brightness: 'much' } }, FUJITSU_ADF)['nearest'], -127);
  assert.is(
    refusal({ scanner_options: { brightness: true } }, FUJITSU_ADF)['option'],
    'brightness',
  );
  const list = `${AIRSCAN_ADF}    --depth 8|16 [8]\n    --note <string> [x]\n`;
  assert.is(refusal({ scanner_options: { depth: 12 } }, list)['nearest'], 8);
  check({ scanner_options: { depth: '16', note: 'as you like' } }, list);
});

test('inactive options of a request are found', () => {
  const request = { ...REQUEST, scanner_options: { 'df-skew': true, swdeskew: true, nothing: 1 } };
  assert.equal(inactiveOptions(request, parseOptions(FUJITSU_ADF)), ['df-skew']);
});

test.run();
