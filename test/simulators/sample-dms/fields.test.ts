import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { SampleObject } from '../../../simulators/sample-dms/objects.ts';
import type { StoredDocument } from '../../../simulators/sample-dms/library.ts';
import { withFixture } from '../../support/with-fixture.ts';
import { startDms } from './dms-client.ts';

/** Every row was observed on the real system: a field of the form, its text, and what is stored or refused. */

const CUSTOM_FIELDS: readonly SampleObject[] = [
  { id: 1, name: 'Reference', data_type: 'string' },
  { id: 2, name: 'Amount', data_type: 'monetary' },
  { id: 3, name: 'Due', data_type: 'date' },
  { id: 4, name: 'Link', data_type: 'url' },
  { id: 5, name: 'Count', data_type: 'integer' },
  { id: 6, name: 'Kind', data_type: 'select', select_options: [{ id: 'a', label: 'A' }] },
  { id: 7, name: 'Related', data_type: 'documentlink' },
  { id: 8, name: 'Paid', data_type: 'boolean' },
];

const test = withFixture(suite('sample DMS, fields of an upload'), () =>
  startDms({ objects: { custom_fields: CUSTOM_FIELDS } }),
);

const NO_ID = 'Incorrect type. Expected pk value, received str.';
const NO_DATE =
  'Datetime has wrong format. Use one of these formats instead: YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z].';
const NO_CUSTOM_FIELDS =
  'Custom fields must be a list of integers or an object mapping ids to values.';
const NO_MONEY = 'Must be a two-decimal number with optional currency code e.g. GBP123.45';
const NO_DAY = 'Date has wrong format. Use one of these formats instead: YYYY-MM-DD.';

type Name = keyof StoredDocument | 'from_webui';

const REFUSED: readonly (readonly [Name, string, string])[] = [
  ['tags', '99', 'Invalid pk "99" - object does not exist.'],
  ['tags', '-3', 'Invalid pk "-3" - object does not exist.'],
  ['tags', '1,2', NO_ID],
  ['tags', '', NO_ID],
  ['tags', '3.0', NO_ID],
  ['correspondent', 'Acme', NO_ID],
  ['correspondent', ' ', NO_ID],
  ['document_type', '99', 'Invalid pk "99" - object does not exist.'],
  ['storage_path', '99', 'Invalid pk "99" - object does not exist.'],
  ['archive_serial_number', '7.5', 'A valid integer is required.'],
  ['archive_serial_number', '-1', 'Ensure this value is greater than or equal to 0.'],
  ['archive_serial_number', '4294967296', 'Ensure this value is less than or equal to 4294967295.'],
  ['title', ' \t ', 'This field may not be blank.'],
  ['title', 'a\0b', 'Null characters are not allowed.'],
  ['from_webui', 'maybe', 'Must be a valid boolean.'],
  ['created', '21.11.2026', NO_DATE],
  ['created', '2026-02-30', NO_DATE],
  ['created', '2026-1-2', NO_DATE],
  ['created', '2026-11-21 ', NO_DATE],
  ['created', '2026-11-21T25:00:00', NO_DATE],
  ['created', '2026-11-21T10:60', NO_DATE],
  ['created', '2026-11-21T10:00+99:99', NO_DATE],
  ['created', '0001-01-01T00:00+05:00', 'Datetime value out of range.'],
  ['custom_fields', '', 'Value must be valid JSON.'],
  ['custom_fields', '{', 'Value must be valid JSON.'],
  ['custom_fields', '"x"', NO_CUSTOM_FIELDS],
  ['custom_fields', '["x"]', NO_CUSTOM_FIELDS],
  ['custom_fields', '[99]', "Some custom fields don't exist or were specified twice."],
  ['custom_fields', '{"x":1}', 'Custom field id must be an integer: x'],
  ['custom_fields', '{"99":1}', 'Custom field with id 99 does not exist'],
  [
    'custom_fields',
    `{"1":"${'x'.repeat(129)}"}`,
    'Ensure this value has at most 128 characters (it has 129).',
  ],
  ['custom_fields', '{"2":"EUR42"}', NO_MONEY],
  ['custom_fields', '{"2":"42.001"}', NO_MONEY],
  ['custom_fields', '{"2":true}', NO_MONEY],
  ['custom_fields', '{"3":"21.11.2026"}', NO_DAY],
  ['custom_fields', '{"3":""}', NO_DAY],
  ['custom_fields', '{"4":"nope"}', 'Unable to parse URI nope, missing scheme'],
  ['custom_fields', '{"4":"x:"}', 'Unable to parse URI x:, missing net location or path'],
  ['custom_fields', '{"5":5.5}', 'Enter a valid integer.'],
  ['custom_fields', '{"5":true}', 'Enter a valid integer.'],
  ['custom_fields', '{"5":3000000000}', 'Ensure this value is less than or equal to 2147483647.'],
  [
    'custom_fields',
    '{"5":-3000000000}',
    'Ensure this value is greater than or equal to -2147483648.',
  ],
  [
    'custom_fields',
    '{"6":"b"}',
    "Value must be an id of an element in [{'id': 'a', 'label': 'A'}]",
  ],
  ['custom_fields', '{"7":5}', 'Value must be a list'],
  ['custom_fields', '{"7":[1]}', "Some documents in value don't exist or were specified twice."],
];

for (const [field, text, message] of REFUSED) {
  test(`${field} ${JSON.stringify(text.slice(0, 40))} is a 400`, async ({ upload, dms }) => {
    assert.equal(await upload([[field, text]]), { status: 400, body: { [field]: [message] } });
    assert.equal(dms.tasks(), []);
  });
}

test('every wrong field is named', async ({ upload }) => {
  const fields = [
    ['tags', '99'],
    ['created', 'x'],
  ] as const;
  const { body } = await upload(fields);
  assert.equal(Object.keys(Object(body)).toSorted(), ['created', 'tags']);
});

const STORED: readonly (readonly [Name, string, unknown])[] = [
  ['tags', ' +03 ', [3]],
  ['correspondent', ' 2 ', 2],
  ['correspondent', '', undefined],
  ['archive_serial_number', ' +7.0 ', 7],
  ['archive_serial_number', '1_0', 10],
  ['archive_serial_number', '', undefined],
  ['title', ' a ', 'a'],
  ['title', '', 'file'],
  ['from_webui', 'Yes', undefined],
  ['created', '2026-11-21', '2026-11-21'],
  ['created', '20261121T1000', '2026-11-21'],
  ['created', '2026-11-21T10', '2026-11-21'],
  ['created', '2026-11-21 1:00:30,5 +01', '2026-11-21'],
  ['created', '2026-11-21T23:30:00-05:00', '2026-11-22'],
  ['created', '2026-11-21T00:30+0500', '2026-11-20'],
  ['custom_fields', 'null', undefined],
  ['custom_fields', '[]', undefined],
  ['custom_fields', '5', [5]],
  ['custom_fields', '[1,"2",1]', [1, 2, 1]],
  ['custom_fields', '{"+1":"R-1"}', { 1: 'R-1' }],
  ['custom_fields', '{"1":null}', { 1: null }],
  ['custom_fields', '{"2":"EUR42.5"}', { 2: 'EUR42.5' }],
  ['custom_fields', '{"2":-5.25}', { 2: -5.25 }],
  ['custom_fields', '{"3":"2026-1-2"}', { 3: '2026-1-2' }],
  ['custom_fields', '{"4":"mailto:me"}', { 4: 'mailto:me' }],
  ['custom_fields', '{"4":""}', { 4: '' }],
  ['custom_fields', '{"5":"-5"}', { 5: '-5' }],
  ['custom_fields', '{"6":"a"}', { 6: 'a' }],
  ['custom_fields', '{"7":[]}', { 7: [] }],
  ['custom_fields', '{"8":"any"}', { 8: 'any' }],
];

for (const [field, text, value] of STORED) {
  const outcome =
    value === undefined ? 'counts as absent' : `is stored as ${JSON.stringify(value)}`;
  test(`${field} ${JSON.stringify(text)} ${outcome}`, async ({ upload, dms }) => {
    assert.is((await upload([[field, text]], { filename: 'file.pdf' })).status, 200);
    await dms.idle();
    const [stored] = dms.documents();
    assert.equal(Object(stored)[field], value);
  });
}

test('a custom value of a type that breaks the server is a 500', async ({ request, dms }) => {
  for (const fields of ['{"1":5}', '{"4":true}']) {
    const body = `--x\r\nContent-Disposition: form-data; name="custom_fields"\r\n\r\n${fields}\r\n--x--\r\n`;
    const headers = { 'content-type': 'multipart/form-data; boundary=x' };
    const path = '/api/documents/post_document/';
    const response = await request(path, { method: 'POST', headers, body });
    assert.is(response.status, 500);
    assert.match(await response.text(), /<h1>Server Error \(500\)<\/h1>/);
  }
  assert.equal(dms.tasks(), []);
});

test('2.18 takes custom fields as repeated ids only', async () => {
  const client = await startDms({ version: '2.18' });
  const ids = [
    ['custom_fields', '1'],
    ['custom_fields', '3'],
  ] as const;
  assert.is((await client.upload(ids)).status, 200);
  await client.dms.idle();
  assert.equal(client.dms.documents()[0]?.custom_fields, [1, 3]);
  assert.equal((await client.upload([['custom_fields', '{"1":"R-1"}']])).body, {
    custom_fields: [NO_ID],
  });
  await client.close();
});

test.run();
