import type { Failure } from '../../../helpers/failure.ts';
import {
  idOf,
  readAnswer,
  readAsk,
  readFailure,
  readPage,
  type RequestName,
} from '../../../helpers/ipc/contract.ts';
import type { ScanRequest } from '../../../helpers/ipc/messages.ts';
import { assert, suite, thrown } from '../../support/suite.ts';
import { PAGE, REQUEST } from '../scanner/device-samples.ts';

const test = suite('the shape of messages');

const SCAN: ScanRequest = {
  ...REQUEST,
  scanner_options: { swdeskew: true, brightness: -3, 'df-action': 'Stop' },
};

function refusal(name: RequestName, ask: unknown): string {
  const { code, message } = thrown(() => readAsk(name, { id: 'a', ask }));
  assert.is(code, 'invalid_body');
  return message;
}

test('requests are passed on unchanged', () => {
  assert.equal(readAsk('scan', { id: 'a', ask: SCAN }), SCAN);
  assert.is(readAsk('scan', { id: 'a', ask: { ...SCAN, source: undefined } }).source, undefined);
  assert.equal(readAsk('health', { id: 'a', ask: {} }), {});
  const describe = { device: 'airscan:e0:Büro 1', source: 'ADF' };
  assert.equal(readAsk('describe_device', { id: 'a', ask: describe }), describe);
});

const WRONG: [string, object][] = [
  ['device', { device: undefined }],
  ['resolution', { resolution: '300' }],
  ['resolution', { resolution: 300.5 }],
  ['resolution', { resolution: 0 }],
  ['page_size', { page_size: { width_mm: 210 } }],
  ['page_size', { page_size: { width_mm: -1, height_mm: 297 } }],
  ['page_size', { page_size: 'a4' }],
  ['max_pages', { max_pages: 0 }],
  ['max_pages', { max_pages: 10_000 }],
  ['scanner_options', { scanner_options: { a: {} } }],
  ['directory', { directory: 'scans/1' }],
  ['directory', { directory: '/var/../etc' }],
  ['directory', { directory: '/var/\0' }],
  ['first_page', { first_page: 10_000 }],
  ['first_sheet', { first_sheet: 0 }],
  ['surprise', { surprise: true }],
];
for (const [field, changes] of WRONG) {
  test(`a scan with ${JSON.stringify(changes).slice(0, 60)} is refused, naming ${field}`, () => {
    assert.match(refusal('scan', { ...SCAN, ...changes }), field);
  });
}

test('every wrong field is named', () => {
  const message = refusal('scan', { ...SCAN, mode: 1, max_pages: 'many', x: 1 });
  for (const field of ['mode', 'max_pages', 'x']) assert.match(message, `"${field}"`);
});

test('payloads that are not objects, or ask for nothing, are refused', () => {
  for (const payload of [undefined, null, 3, 'text', [], {}]) {
    assert.throws(() => readAsk('health', payload), /"value" is required/);
  }
});

test('the id of any message is found if it has one', () => {
  assert.is(idOf({ id: 'a', junk: 1 }), 'a');
  const odd = [{ id: 3 }, { id: '' }, { id: 'x'.repeat(101) }];
  for (const payload of [undefined, null, 3, 'id', [], {}, ...odd])
    assert.is(idOf(payload), undefined);
});

const DESCRIPTION = {
  device: 'test:0',
  sources: ['Flatbed'],
  source: 'Flatbed',
  feeder: false,
  sides: ['one'],
  modes: [],
  resolutions: { min: 1, max: 2 },
  max_page: { width_mm: 1, height_mm: 2.5 },
  options: ['x'],
};

const BARE = { device: 'a:b', sources: [], feeder: true, sides: [], modes: [], options: [] };

test('messages of the runtime are passed on unchanged', () => {
  assert.equal(readPage({ id: 'a', page: PAGE }), PAGE);
  const facts = { page_count: 2, found: [1] };
  const failure = readFailure({ failure: { code: 'scanner_jammed', what: 'Jam.', facts } });
  assert.equal([failure.code, failure.what, failure.facts], ['scanner_jammed', 'Jam.', facts]);
  const answers = [
    ['health', { status: 'ok', scanning: [{ directory: '/s/1', asked: 'auto', device: null }] }],
    ['list_devices', [{ name: 'test:0', vendor: '', model: 'm', type: 't' }]],
    ['describe_device', DESCRIPTION],
    ['describe_device', { ...BARE, resolutions: [1] }],
    ['check_scan', { device: 'test:0' }],
    ['check_scan', { device: 'test:0', cover_open: true, area_unusable: true }],
    ['check_scan', { device: 'test:0', page_size: { width_mm: 210, height_mm: 292.1 } }],
    [
      'read_sensors',
      { device: 'test:0', paper: true, sensors: { scan: false }, function: 3, scans: 1 },
    ],
    ['read_sensors', { device: 'test:0', sensors: {}, scans: 0 }],
    ['scan', { device: 'test:0', duplex: true, page_count: 0, warnings: ['one'] }],
  ] as const;
  for (const [name, result] of answers) assert.equal(readAnswer(name, { result }), result);
});

test('unintelligible messages are a failure of the runtime', () => {
  const wrong = [
    () => readPage({ page: { ...PAGE, filename: '../../etc/passwd' } }),
    () => readPage({}),
    () => readFailure({ failure: { code: 'nonsense', what: 'x', facts: {} } }),
    () => readFailure({ failure: { code: 'toString', what: 'x', facts: {} } }),
    () => readAnswer('health', { result: { status: 'bad' } }),
    () => readAnswer('list_devices', { result: [{ name: 'a' }, 3] }),
    () =>
      readAnswer('read_sensors', { result: { device: 'a:b', sensors: { scan: 'no' }, scans: 0 } }),
    () => readAnswer('scan', {}),
    () => readAnswer('scan', { result: { ...DESCRIPTION, warnings: [''] } }),
  ];
  for (const read of wrong) {
    assert.throws(read, (error: Failure) => error.code === 'scanner_runtime_unreachable');
  }
});
