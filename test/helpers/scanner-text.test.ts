import Joi from 'joi';
import { readAsk } from '../../helpers/ipc/contract.ts';
import { deviceName, optionText, scannerOptions } from '../../helpers/scanner-text.ts';
import { profileSchema } from '../../service/profiles/schema.ts';
import { assert, suite } from '../support/suite.ts';

const test = suite('what may be said to a scanner driver');

const fields = Joi.object({ device: deviceName, source: optionText, options: scannerOptions });

function problem(value: object): string {
  return fields.validate(value, { convert: false }).error?.message ?? '';
}

const ONE_LINE = 'must be one line of text without control characters, at most 300 characters';

test('is one line, and a device does not begin with a dash', () => {
  assert.is(
    problem({ device: '--version' }),
    `"device" ${ONE_LINE}, and must not begin with a dash`,
  );
  assert.is(problem({ source: 'ADF\nDuplex' }), `"source" ${ONE_LINE}`);
  assert.is(problem({ source: '' }), `"source" ${ONE_LINE}`);
  assert.is(problem({ source: 'x'.repeat(301) }), `"source" ${ONE_LINE}`);
  assert.match(problem({ options: { a: '\u0007' } }), ONE_LINE);
  assert.match(
    problem({ options: { a: [] } }),
    '"options.a" must be a number, true, false or text',
  );
  assert.match(problem({ options: { '--a': 1 } }), 'without dashes in front');
  assert.is(problem({ device: 'airscan:e0:Büro 1', source: 'ADF', options: { a: '', b: 1 } }), '');
});

const SETTINGS: [string, object][] = [
  ['the device --version', { device: '--version' }],
  ['a line break in the device', { device: 'a:b\nc' }],
  ['a control character in the source', { source: 'ADF\u0000' }],
  ['half a surrogate pair in the mode', { mode: 'Gr\uD800' }],
  ['a control character in an option', { scanner_options: { swcrop: 'a\tb' } }],
  ['an option with a dash in front', { scanner_options: { '-x': 3 } }],
  ['an empty option', { scanner_options: { note: '' } }],
  ['an option with capitals and _', { scanner_options: { Adf_mode: 'Duplex' } }],
  ['a long source', { source: 'x'.repeat(300) }],
];
for (const [title, settings] of SETTINGS) {
  test(`a profile with ${title} loads exactly if the scanner runtime takes it`, () => {
    const size = { width_mm: 210, height_mm: 297 };
    const scan = { device: 'auto', mode: 'Gray', resolution: 300, page_size: size };
    const profile = { name: 'a', destinations: [], ...scan, ...settings };
    const { error } = profileSchema({ output_dir: '/scans' }).validate(profile);
    const rest = { max_pages: 1, directory: '/scans/1', first_page: 1, first_sheet: 1 };
    const request = { ...scan, scanner_options: {}, ...rest, ...settings };
    const takes = (): unknown => readAsk('scan', { id: '1', ask: request });
    if (error) assert.throws(takes);
    else takes();
  });
}
