import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Failure } from '../../../helpers/failure.ts';
import type { RequestEvent, ScanRequest } from '../../../helpers/ipc/messages.ts';
import { idOf, readResult, readReply, readRequest } from '../../../helpers/ipc/schemas.ts';

const test = suite('the shape of messages');

const SCAN: ScanRequest = {
  device: 'auto',
  source: 'ADF Duplex',
  mode: 'Gray',
  resolution: 300,
  page_size: { width_mm: 210, height_mm: 297 },
  max_pages: 200,
  scanner_options: { swdeskew: true, brightness: -3, 'df-action': 'Stop' },
  directory: '/var/lib/scans/20261121T063000Z-8f3a1c',
  first_page: 1,
  first_sheet: 1,
};
const scan = (changes: object): unknown => ({ id: 'a', request: { ...SCAN, ...changes } });

function refusal(event: RequestEvent, payload: unknown): string {
  try {
    readRequest(event, payload);
  } catch (error) {
    assert.instance(error, Failure);
    assert.is((error as Failure).code, 'invalid_body');
    return (error as Failure).message;
  }
  return assert.unreachable(`taken: ${JSON.stringify(payload)}`) as never;
}

test('a scan request is taken as it is, and frozen', () => {
  const { request } = readRequest('scan', scan({}));
  assert.equal(request, SCAN);
  assert.ok(Object.isFrozen(request) && Object.isFrozen(request.scanner_options));
  assert.is(readRequest('scan', scan({ source: undefined })).request.source, undefined);
});

test('the other requests are taken', () => {
  assert.equal(readRequest('health', { id: 'a' }), { id: 'a' });
  assert.equal(readRequest('list_devices', { id: 'a' }), { id: 'a' });
  assert.equal(readRequest('cancel', { id: 'a', request_id: 'b' }), { id: 'a', request_id: 'b' });
  const describe = { id: 'a', device: 'airscan:e0:Büro 1', source: 'ADF' };
  assert.equal(readRequest('describe_device', describe), describe);
});

const WRONG: [string, object][] = [
  ['device', { device: '' }],
  ['device', { device: '-d' }],
  ['device', { device: 'a\nb' }],
  ['device', { device: 'x'.repeat(301) }],
  ['device', { device: undefined }],
  ['source', { source: 3 }],
  ['mode', { mode: null }],
  ['resolution', { resolution: '300' }],
  ['resolution', { resolution: 300.5 }],
  ['resolution', { resolution: 0 }],
  ['page_size', { page_size: { width_mm: 210 } }],
  ['page_size', { page_size: { width_mm: -1, height_mm: 297 } }],
  ['page_size', { page_size: 'a4' }],
  ['max_pages', { max_pages: 0 }],
  ['max_pages', { max_pages: 10_000 }],
  ['scanner_options', { scanner_options: { '--batch': 'x' } }],
  ['scanner_options', { scanner_options: { a: {} } }],
  ['scanner_options', { scanner_options: { a: 'line\nline' } }],
  ['__proto__', { scanner_options: JSON.parse('{"__proto__": "x"}') }],
  ['scanner_options', { scanner_options: [] }],
  ['directory', { directory: 'scans/1' }],
  ['directory', { directory: '/var/../etc' }],
  ['directory', { directory: '/var/\0' }],
  ['first_page', { first_page: 10_000 }],
  ['first_sheet', { first_sheet: 0 }],
  ['surprise', { surprise: true }],
];
for (const [field, changes] of WRONG) {
  test(`a scan with ${JSON.stringify(changes).slice(0, 60)} is refused, naming ${field}`, () => {
    assert.match(refusal('scan', scan(changes)), field);
  });
}

test('every wrong field is named', () => {
  const message = refusal('scan', scan({ mode: 1, max_pages: 'many', x: 1 }));
  for (const field of ['mode', 'max_pages', 'x']) assert.match(message, `request.${field}`);
});

test('payloads that are no objects, and ids that are none, are refused', () => {
  for (const payload of [
    undefined,
    null,
    3,
    'text',
    [],
    {},
    { id: 3 },
    { id: '' },
    { id: 'x'.repeat(101) },
  ]) {
    refusal('health', payload);
  }
  refusal('scan', { id: 'a' });
  refusal('health', JSON.parse('{"id": "a", "__proto__": {"x": 1}}'));
});

test('the id of anything is found where there is one', () => {
  assert.is(idOf({ id: 'a', junk: 1 }), 'a');
  for (const payload of [undefined, null, 3, 'id', [], {}, { id: 3 }, { id: 'x'.repeat(101) }]) {
    assert.is(idOf(payload), undefined);
  }
});

test('replies are taken', () => {
  const page = {
    number: 1,
    sheet: 1,
    side: 'front',
    filename: 'page-0001.tif',
    bytes: 9,
    width_px: 1,
    height_px: 1,
    dpi: 300,
    cropped: false,
  };
  assert.equal(readReply('page', { id: 'a', page }).page, page);
  const failure = {
    code: 'scanner_jammed',
    what: 'Jam.',
    facts: { page_count: 2, found: [1] },
  } as const;
  assert.equal(readReply('failed', { id: 'a', failure }).failure, failure);
  const summary = { device: 'test:0', duplex: true, page_count: 0, warnings: [''] };
  assert.throws(() => readReply('scanned', { id: 'a', summary }));
  const good = { ...summary, warnings: ['one'] };
  assert.equal(readReply('scanned', { id: 'a', summary: good }).summary, good);
});

test('replies that are not understood are a failure of the runtime', () => {
  const page = {
    number: 1,
    sheet: 1,
    side: 'front',
    filename: '../../etc/passwd',
    bytes: 9,
    width_px: 1,
    height_px: 1,
    dpi: 300,
    cropped: false,
  };
  const wrong = [
    () => readReply('page', { id: 'a', page }),
    () => readReply('failed', { id: 'a', failure: { code: 'nonsense', what: 'x', facts: {} } }),
    () => readReply('failed', { id: 'a', failure: { code: 'toString', what: 'x', facts: {} } }),
    () => readReply('result', { id: 'a' }),
    () => readReply('accepted', { id: 'a', more: 1 }),
    () => readResult('health', { status: 'bad' }),
    () => readResult('list_devices', [{ name: 'a' }, 3]),
    () => readResult('scan', undefined),
  ];
  for (const read of wrong) {
    assert.throws(read, (error: Failure) => error.code === 'scanner_runtime_unreachable');
  }
});

test('answers are taken', () => {
  const health = {
    status: 'ok',
    scanning: [{ directory: '/scans/1', asked: 'auto', device: null }],
  };
  assert.equal(readResult('health', health), health);
  const listed = [{ name: 'test:0', vendor: '', model: 'm', type: 't' }];
  assert.equal(readResult('list_devices', listed), listed);
  assert.equal(readResult('cancel', { cancelled: true }), { cancelled: true });
  const description = {
    device: 'test:0',
    sources: ['Flatbed'],
    source: 'Flatbed',
    modes: [],
    resolutions: { min: 1, max: 2 },
    max_page: { width_mm: 1, height_mm: 2.5 },
    options: ['x'],
  };
  assert.equal(readResult('describe_device', description), description);
  const { device, sources, modes, options } = description;
  const bare = { device, sources, modes, options, resolutions: [100, 200] };
  assert.equal(readResult('describe_device', bare), bare);
});

test.run();
