import Joi from 'joi';
import type { Failure } from '../../../helpers/failure.ts';
import {
  checkFields,
  parseDiscardRequest,
  parseListRequest,
  parsePageEdit,
  parseResumeRequest,
  parseScanRequest,
  parseSessionRequest,
} from '../../../service/http/requests.ts';
import { DEFAULT_REDELIVERY } from '../../../service/archive/upload-decision.ts';
import { STORED_ID } from '../../support/stored-scan.ts';
import { assert, suite, thrown } from '../../support/suite.ts';

const test = suite('valid requests');

type Parse = (given: unknown) => unknown;

const failureOf = (parse: Parse, given: unknown): Failure => thrown(() => parse(given));

const fieldsOf = ({ facts }: Failure): string[] =>
  (facts['fields'] as { field: string }[]).map(({ field }) => field);

const METADATA = {
  title: 'Invoice 4711',
  created: '2026-11-21',
  tags: [3, 4],
  correspondent: 1,
  document_type: 2,
  storage_path: 1,
  archive_serial_number: 17,
  custom_fields: { 1: 'R-1', 2: 'EUR42.00' },
};
const RESUME = {
  redelivery: DEFAULT_REDELIVERY,
  profile: undefined,
  keep_blank_pages: false,
  metadata: {},
};

const TAKEN: readonly (readonly [what: string, parse: Parse, given: object, taken: object])[] = [
  ['a scan', parseScanRequest, { profile: 'a', ...METADATA }, { profile: 'a', metadata: METADATA }],
  ['a scan that holds', parseScanRequest, { hold: true }, { hold: true, metadata: {} }],
  ['a scan that does not hold', parseScanRequest, { hold: false }, { hold: false, metadata: {} }],
  [
    'settings',
    parseScanRequest,
    { settings: { mode: 'Color', resolution: 600, page_size: 'a5', languages: ['deu'] } },
    {
      settings: {
        mode: 'Color',
        resolution: 600,
        page_size: { width_mm: 148, height_mm: 210 },
        languages: ['deu'],
      },
      metadata: {},
    },
  ],
  ['no settings', parseScanRequest, { settings: {} }, { metadata: {} }],
  [
    'more paper',
    parseScanRequest,
    { continue_scan: 'x', hold: false, side: 'backs' },
    { continue_scan: 'x', hold: false, side: 'backs' },
  ],
  [
    'a page again',
    parseScanRequest,
    { continue_scan: 'x', replaces: 3, hold: true, settings: { source: 'Flatbed' } },
    { continue_scan: 'x', replaces: 3, settings: { source: 'Flatbed' } },
  ],
  [
    'a page again, as before',
    parseScanRequest,
    { continue_scan: 'x', replaces: 3, settings: {} },
    { continue_scan: 'x', replaces: 3 },
  ],
  ['a list', parseListRequest, {}, { limit: 20 }],
  [
    'a part of a list',
    parseListRequest,
    { limit: '100', before: STORED_ID, fed: 'true', search: 'Tea' },
    { limit: 100, before: STORED_ID, fed: true, search: 'Tea' },
  ],
  ['resuming', parseResumeRequest, {}, RESUME],
  [
    'resuming with other metadata',
    parseResumeRequest,
    { title: 'Tea', profile: 'a', keep_blank_pages: true, resend_unknown: true },
    {
      redelivery: { ...DEFAULT_REDELIVERY, resend_unknown: true },
      profile: 'a',
      keep_blank_pages: true,
      metadata: { title: 'Tea' },
    },
  ],
  ['discarding', parseDiscardRequest, {}, { discarded: true }],
  ['taking that back', parseDiscardRequest, { discarded: false }, { discarded: false }],
  ...[
    { left_out: true },
    { turn: 0 },
    { turn: 270, before: 3 },
    { before: null, starts_document: false },
    { crop: null },
    { turn: 90, crop: { x: 0.1, y: 0, width: 0.9, height: 0.02, angle: -45 } },
  ].map((edit) => ['an edit', parsePageEdit, edit, edit] as const),
];

for (const [what, parse, given, taken] of TAKEN) {
  test(`${what} accepts ${JSON.stringify(given)}`, () => assert.equal(parse(given), taken));
}

/** JSON can write infinity as `1e999`; NaN is not JSON. */
const WRONG_CROPS = [
  ['', 'crop.x'],
  ['"x":0,"y":0,"width":0.5', 'crop.height'],
  ['"x":"0","y":0,"width":0.5,"height":0.5', 'crop.x'],
  ['"x":null,"y":0,"width":0.5,"height":0.5', 'crop.x'],
  ['"x":-0.01,"y":0,"width":0.5,"height":0.5', 'crop.x'],
  ['"x":0,"y":1e999,"width":0.5,"height":0.5', 'crop.y'],
  ['"x":0,"y":0,"width":0.0199,"height":0.5', 'crop.width'],
  ['"x":0,"y":0,"width":0.5,"height":1.01', 'crop.height'],
  ['"x":0.6,"y":0,"width":0.5,"height":0.5', 'crop'],
  ['"x":0,"y":0.500002,"width":0.5,"height":0.5', 'crop'],
  ['"x":0,"y":0,"width":0.5,"height":0.5,"angle":45.1', 'crop.angle'],
  ['"x":0,"y":0,"width":0.5,"height":0.5,"angle":null', 'crop.angle'],
  ['"x":0,"y":0,"width":0.5,"height":0.5,"turn":90', 'crop.turn'],
]
  .map(([crop, field]) => `{"crop":{${crop}}}→${field}`)
  .concat('{"crop":true}', '{"crop":"all"}', '{"crop":[0,0,1,1]}')
  .join(' ');

/**
 * Refused bodies. The expected field is the first key, or follows an arrow; `(body)` is the whole
 * body.
 */
const REFUSED: Readonly<Record<string, readonly [parse: Parse, wrong: string]>> = {
  // A request can never set destinations, paths or times.
  'a scan': [
    parseScanRequest,
    `[]→(body) {"colour":true} {"destinations":[]} {"paths":{}} {"timeout_seconds":1} {"hold":"yes"} {"profile":5}
    {"created":"2026-02-30"} {"continue_scan":"a","side":"fronts"}→side {"side":"backs"}→(body)
    {"continue_scan":"a","title":"Tea"}→(body) {"continue_scan":"a","profile":"b"}→(body)
    {"continue_scan":"a","settings":{"mode":"Color"}}→settings {"replaces":1}→(body)
    {"continue_scan":"a","replaces":0}→replaces {"continue_scan":"a","replaces":"1"}→replaces
    {"continue_scan":"a","replaces":1.5}→replaces {"continue_scan":"a","replaces":1e99}→replaces
    {"continue_scan":"a","replaces":1,"side":"backs"}→side {"continue_scan":"a","replaces":1,"hold":false}→hold
    {"continue_scan":"a","replaces":1,"settings":{"mode":"Color"}}→settings.mode
    {"continue_scan":"a","replaces":1,"settings":{"resolution":10}}→settings.resolution
    {"continue_scan":"a","replaces":1,"title":"Tea"}→(body)
    {"settings":[]} {"settings":"Color"}
    {"settings":{"mode":5}}→settings.mode {"settings":{"mode":"${'x'.repeat(2000)}"}}→settings.mode
    {"settings":{"source":""}}→settings.source {"settings":{"resolution":10}}→settings.resolution
    {"settings":{"resolution":"300"}}→settings.resolution {"settings":{"page_size":"a0"}}→settings.page_size
    {"settings":{"page_size":{"width_mm":1,"height_mm":100}}}→settings.page_size.width_mm
    {"settings":{"page_grouping":"stapled"}}→settings.page_grouping
    {"settings":{"remove_blank_pages":true}}→settings.remove_blank_pages
    {"settings":{"languages":[]}}→settings.languages {"settings":{"languages":["../eng"]}}→settings.languages.0
    {"settings":{"device":"b"}}→settings.device {"settings":{"max_pages":9}}→settings.max_pages`,
  ],
  'a list': [
    parseListRequest,
    `{"limit":"0"} {"limit":"101"} {"limit":"-1"} {"limit":"1.5"} {"limit":"x"} {"limit":""} {"limit":"NaN"} {"limit":["1","2"]}
    {"before":"x"} {"before":""} {"before":"../x"} {"before":"${STORED_ID}\\u0000"} {"before":["${STORED_ID}","${STORED_ID}"]}
    {"limit[]":"1"} {"fed":"perhaps"} {"colour":"1"} {"constructor":"1"}`,
  ],
  resuming: [
    parseResumeRequest,
    `{"resend_unknown":"true"} {"resend_unknown":1} {"redeliver_failed":null} {"everything":true} {"constructor":{}} {"profile":5}
    {"profile":null} {"title":5} {"tags":[""]}→tags.0 {"created":"tomorrow"} {"destinations":[]} {"timeout_seconds":1} []→(body)`,
  ],
  'an edit': [
    parsePageEdit,
    `{}→(body) []→(body) {"left_out":"yes"} {"left_out":null} {"turn":45} {"turn":"90"} {"before":0} {"before":1.5} {"before":"1"}
    {"starts_document":1} {"turn":90,"page":1}→page ${WRONG_CROPS}`,
  ],
  discarding: [parseDiscardRequest, `{"discarded":"no"} {"undo":true}`],
  'a session': [
    parseSessionRequest,
    `{}→token {"token":""} {"token":5} {"token":"${'x'.repeat(4097)}"} {"token":"the-token","x":1}→x`,
  ],
};

for (const [what, [parse, wrong]] of Object.entries(REFUSED)) {
  test(`${what} with an error is refused, naming the field`, () => {
    for (const row of wrong.split(/\s+/)) {
      const [body = '', named] = row.split('→');
      const given = JSON.parse(body) as object;
      const found = failureOf(parse, given);
      assert.is(found.code, what === 'a list' ? 'invalid_parameter' : 'invalid_body');
      assert.is(fieldsOf(found)[0], named ?? Object.keys(given)[0], row);
    }
  });
}

test('all wrong fields are named together, but only a few of thousands', () => {
  const three = failureOf(parseScanRequest, { profile: 5, tags: 1, x: 1 });
  assert.equal(fieldsOf(three), ['profile', 'tags', 'x']);
  assert.not.match(three.message, 'more');
  const list = Joi.object({ list: Joi.array().items(Joi.number()) }).prefs({ abortEarly: false });
  const given = { list: Array.from({ length: 16_000 }, () => 'x') };
  const many = failureOf((body) => checkFields(list, body, 'invalid_body'), given);
  assert.is(fieldsOf(many).length, 20);
  assert.match(many.message, /; and 15980 more\.$/);
  assert.ok(many.message.length < 2000);
});

test('a hundred fields are checked individually; more are refused as a whole', () => {
  const fields = (count: number): object =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`a${index}`, 1]));
  assert.is(fieldsOf(failureOf(parseScanRequest, fields(100))).length, 20);
  const { facts, message } = failureOf(parseScanRequest, fields(101));
  assert.equal(facts, {});
  assert.match(message, /^The request has 101 fields, more than any request knows\./);
});
