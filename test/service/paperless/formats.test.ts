import Joi from 'joi';
import { baseOf, endpointOf } from '../../../service/paperless/endpoint.ts';
import { METADATA_RULES } from '../../../service/paperless/metadata-schema.ts';
import { checkFieldValue } from '../../../service/paperless/names/custom-field-values.ts';
import { createRedactor } from '../../../service/paperless/token.ts';
import { safeFileName } from '../../../service/paperless/upload/file-name.ts';
import {
  type ResponseSummary,
  summarize,
} from '../../../service/paperless/upload/summarize-response.ts';
import { numberedTitle, safeTitle } from '../../../service/paperless/upload/title.ts';
import { assert, suite } from '../../support/suite.ts';

const test = suite('titles, file names, answers and addresses of an upload');

const HAZARDS = [
  '{{ 1+1 }}',
  'a {# hidden #} b',
  '{% if',
  '{{ unclosed',
  '{# unclosed',
  '{{{{{{',
  '{%}',
  '{#}',
  '{{%##%}}',
  'closing }} %} #}',
  '{\u0000{ 1+1 }}',
];

for (const hazard of HAZARDS) {
  test(`no template is left in ${JSON.stringify(hazard)}`, () => {
    const title = safeTitle(hazard) ?? '';
    assert.not.match(title, /\{[{%#]|[}%#]\}/);
    assert.is(title.replaceAll(' ', ''), hazard.replace('\u0000', '').replaceAll(' ', ''));
  });
}

test('a title has at most 127 complete code points', () => {
  const title = safeTitle('😀'.repeat(200)) ?? '';
  assert.is(Array.from(title).length, 127);
  assert.ok(title.isWellFormed());
});

test('line breaks and control characters become one space', () => {
  assert.is(safeTitle('a\r\nb\tc\u2028d'), 'a b c d');
});

test('a numbered title keeps its number when it is shortened', () => {
  assert.is(numberedTitle('Invoice', 2, 3), 'Invoice (2/3)');
  for (const title of ['x'.repeat(127), '😀'.repeat(127), '{{'.repeat(60), 'x '.repeat(63)]) {
    const [first = '', second = ''] = [1, 2].map((n) => safeTitle(numberedTitle(title, n, 12)));
    assert.ok(first.endsWith(' (1/12)') && second.endsWith(' (2/12)'), first);
    const { length } = Array.from(first);
    assert.ok(length <= 127 && length > 118, `${length}: no more is cut off than must be`);
  }
});

for (const nothing of [undefined, '', '   ', '\n']) {
  test(`${JSON.stringify(nothing)} is no title`, () => {
    assert.is(safeTitle(nothing), undefined);
  });
}

const FILE_NAMES: readonly (readonly [string, string, string])[] = [
  ['a plain name stays', 'document-0001.pdf', 'document-0001.pdf'],
  ['Unicode stays', 'Größe 你好.pdf', 'Größe 你好.pdf'],
  ['decomposed Unicode is composed', 'Gro\u0308ße.pdf', 'Größe.pdf'],
  ['a missing extension is added', 'scan', 'scan.pdf'],
  ['an extension in capitals becomes the small one', 'scan.PDF', 'scan.pdf'],
  ['another extension is kept as part of the name', 'scan.tif', 'scan.tif.pdf'],
  ['directories are no part of it', '../etc/passwd', '.. etc passwd.pdf'],
  ['nothing breaks the header', 'a"b\r\nc\\d.pdf', 'a b c d.pdf'],
  ['an empty name gets one', '.pdf', 'document.pdf'],
  ['half a surrogate pair is replaced', 'a\ud800.pdf', 'a\ufffd.pdf'],
];

for (const [title, name, expected] of FILE_NAMES) {
  test(`of a file: ${title}`, () => {
    assert.is(safeFileName(name), expected);
  });
}

for (const character of ['x', 'ö', '你', '😀']) {
  test(`a name of many ${character} has at most 200 bytes of complete characters`, () => {
    const name = safeFileName(`${character.repeat(300)}.pdf`);
    const bytes = Buffer.byteLength(name);
    assert.ok(bytes <= 200 && bytes > 195, `${bytes} bytes`);
    assert.is(name, `${character.repeat((bytes - 4) / Buffer.byteLength(character))}.pdf`);
  });
}

const TOKEN = '0123456789abcdef0123456789abcdef01234567';

function summary(body: string): ResponseSummary {
  return summarize(body, createRedactor(TOKEN));
}

const SUMMARIES: readonly (readonly [string, string, string, string])[] = [
  ['the detail of JSON', '{"detail":"Invalid token."}', 'json', 'Invalid token'],
  [
    'the messages by field',
    '{"tags":["Invalid pk \\"9\\" - object does not exist."],"created":["Wrong.","Bad."]}',
    'json',
    'tags: Invalid pk "9" - object does not exist; created: Wrong, Bad',
  ],
  ['nested messages', '{"a":{"b":["c."]},"n":1}', 'json', 'a: {"b":["c."]}; n: 1'],
  ['a list', '["one.","two."]', 'json', 'one, two'],
  ['a JSON string', '"OK"', 'json', 'OK'],
  ['null', 'null', 'json', 'null'],
  ['a title', '<html><title>\n 502 Bad\nGateway</title><h1>x</h1>', 'html', '502 Bad Gateway'],
  ['the heading of a page', '<h1>Server Error <b>(500)</b></h1>', 'html', 'Server Error (500)'],
  ['the text of a page without both', '<p>no <i>title</i></p>', 'html', 'no title'],
  ['plain text', 'Insufficient permissions', 'text', 'Insufficient permissions'],
  ['nothing', ' \n', 'empty', ''],
  ['deep nesting', `${'['.repeat(9000)}${']'.repeat(9000)}`, 'json', `${'['.repeat(199)}…`],
  ['control characters', 'a\u0000b\u001b[31mc\u202ed', 'text', 'a b [31mc d'],
];

for (const [title, body, format, text] of SUMMARIES) {
  test(`${title} is one line`, () => {
    assert.equal(summary(body), { format, text });
  });
}

test('a long text is cut to 200 characters', () => {
  const { text } = summary('😀'.repeat(500));
  assert.is(Array.from(text).length, 200);
  assert.ok(text.endsWith('…') && text.isWellFormed());
});

const ADDRESSES: readonly (readonly [string, string])[] = [
  ['http://paperless:8000', 'http://paperless:8000/api/documents/post_document/'],
  ['http://paperless:8000/', 'http://paperless:8000/api/documents/post_document/'],
  ['https://nas.example/paperless', 'https://nas.example/paperless/api/documents/post_document/'],
  ['https://nas.example/a/b///', 'https://nas.example/a/b/api/documents/post_document/'],
  ['http://192.168.1.5#x', 'http://192.168.1.5/api/documents/post_document/'],
];

for (const [base, upload] of ADDRESSES) {
  test(`documents for ${base} go to ${upload}`, () => {
    assert.is(endpointOf(base)?.uploadUrl.href, upload);
  });
}

const NO_ADDRESSES =
  'paperless:8000 paperless ftp://paperless http:// http://user:secret@paperless http://user@paperless http://paperless/?token=secret';
for (const bad of ['', ...NO_ADDRESSES.split(' ')]) {
  test(`${JSON.stringify(bad)} is refused as a base address`, () => {
    assert.is(endpointOf(bad), undefined);
  });
}

const FROM = new URL('http://paperless/api/documents/post_document/');

const LOCATIONS: readonly (readonly [string, string | undefined])[] = [
  ['https://paperless.example/api/documents/post_document/', 'https://paperless.example'],
  ['https://nas.example/p/api/documents/post_document/', 'https://nas.example/p'],
  ['/accounts/login/?next=/api/', 'http://paperless/accounts/login'],
  ['https://user:secret@sso.example/login?token=secret', 'https://sso.example/login'],
  ['http://:', undefined],
  ['javascript:alert(1)', undefined],
  ['file:///etc/passwd', undefined],
];

for (const [location, base] of LOCATIONS) {
  test(`a redirect to ${location} leads to ${base}`, () => {
    assert.is(baseOf(location, FROM), base);
  });
}

const metadata = suite('valid metadata of a document');

const schema = Joi.object(METADATA_RULES).prefs({ abortEarly: false, convert: false });
const problemsOf = (given: unknown): string[] =>
  schema.validate(given).error?.details.map(({ message }) => message) ?? [];

/** Nested as deeply as a 64 KB body allows. */
const deep = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth));

metadata('custom fields accept every type of value in Paperless-ngx', () => {
  const values = ['', 'R-1', 'EUR42.00', 'a\tb\n😀', 0, -1.5, 1e20, true, false, null, [], [4, 5]];
  for (const value of values) {
    assert.equal(problemsOf({ custom_fields: { 1: value } }), [], JSON.stringify(value));
  }
});

for (const [what, value] of [
  ['an object', { a: 1 }],
  ['lists in a list', [[1]]],
  ['objects in a list', [{}]],
  ['a list 30,000 deep', deep(30_000)],
  ['a text with a NUL', 'a\0b'],
  ['a text with half of a surrogate pair', 'a\ud83d'],
  ['a list with such a text', ['a', 'a\0']],
] as const) {
  metadata(`${what} is not a value of a custom field`, () => {
    assert.equal(problemsOf({ custom_fields: { 7: value } }).length, 1);
    assert.match(problemsOf({ custom_fields: { 7: value } })[0] ?? '', 'custom_fields.7');
  });
}

metadata('custom fields are keyed by name or id', () => {
  for (const key of ['iban', '7', 'Rechnung Nº 2', 'constructor']) {
    assert.equal(problemsOf({ custom_fields: { [key]: 1 } }), [], key);
  }
  for (const key of ['', ' 1', 'a\n', 'x'.repeat(129)]) {
    assert.is(problemsOf({ custom_fields: { [key]: 1 } }).length, 1, key);
  }
});

metadata('a tag is a name or an id', () => {
  assert.equal(problemsOf({ tags: [3, 'tax', '3', '税'], correspondent: 'City & Co.' }), []);
  for (const tag of ['', ' tax', 'tax ', 'a\nb', 'x'.repeat(129), 0, 1.5, true, ['tax']]) {
    assert.equal(problemsOf({ tags: [tag] }), [
      '"tags[0]" must be a name or an id of Paperless-ngx: text without blanks at its ends, or a whole number from 1 on',
    ]);
  }
});

for (const [what, title] of [
  ['a tab', 'a\tb'],
  ['a line break', 'a\nb'],
  ['a DEL', 'a\u007fb'],
  ['a NUL', 'a\0b'],
  ['half of a surrogate pair', 'a\ud83d'],
  ['what XML cannot hold', 'a\uffff'],
] as const) {
  metadata(`a title with ${what} is refused, since a PDF cannot contain it`, () => {
    assert.match(problemsOf({ title })[0] ?? '', /^"title" must not contain control characters/);
  });
}

metadata('a title has at most 127 characters, whatever their UTF-16 length', () => {
  assert.equal(problemsOf({ title: '😀'.repeat(127) }), []);
  assert.equal(problemsOf({ title: '😀'.repeat(128) }), [
    '"title" must be a text of 1 to 127 characters, without blanks at its ends',
  ]);
});

metadata('tags are unique, and at most a hundred', () => {
  const tags = Array.from({ length: 101 }, (_, index) => index + 1);
  assert.equal(problemsOf({ tags: [1, 1] }).length, 1);
  assert.equal(problemsOf({ tags }).length, 1);
  assert.equal(problemsOf({ tags: tags.slice(0, -1) }), []);
  assert.equal(problemsOf({ tags: Array.from({ length: 16_000 }, () => 'x') }), [
    '"tags" must be a list of at most 100 names or ids, each once',
  ]);
});

const customFields = suite('the values of custom fields');

type Values = readonly unknown[];
const NO_DATES = ['21.11.2026', '2026-13-01', '2026-02-31', 20_261_121];
/** By field type: values that Paperless-ngx accepts, and values it refuses or fails on. */
const VALUES: Readonly<Record<string, { readonly good: Values; readonly bad: Values }>> = {
  string: { good: ['', 'R-1', 'ä'.repeat(128)], bad: ['x'.repeat(129), 17, true, ['a']] },
  longtext: { good: ['x'.repeat(1000)], bad: [17, false] },
  url: { good: ['', 'https://example.org/a', 'mailto:a@b'], bad: ['example.org', 'x:', 5] },
  date: { good: ['2026-11-21', '20261121', '2026-1-5'], bad: NO_DATES },
  boolean: { good: [true, false], bad: ['yes', 'true', 1] },
  integer: { good: [0, -5, '42'], bad: [1.5, 'x', 3_000_000_000, true, [5]] },
  float: { good: [1.5, -2, '1.5', 1e-7], bad: ['one', true, '1.2.3', '...', '', '1e999', [5]] },
  monetary: { good: ['EUR12.50', '12.5', 12, '', 'USD-1.00'], bad: ['ten', 'EUR12', true] },
  documentlink: { good: [[], [1, 2]], bad: [1, ['a']] },
};

customFields('each type accepts exactly what Paperless-ngx accepts', () => {
  for (const [data_type, { good, bad }] of Object.entries(VALUES)) {
    const field = { id: 1, name: 'Field', data_type };
    for (const value of [...good, null]) {
      assert.equal(checkFieldValue(field, value), { value }, `${data_type} ${String(value)}`);
    }
    for (const value of bad) {
      assert.ok('expected' in checkFieldValue(field, value), `${data_type} ${String(value)}`);
    }
  }
});

customFields('a choice is given by its label or its id, and sent by its id', () => {
  const select_options = [{ id: 'a1', label: 'Kitchen' }];
  const field = { id: 1, name: 'Room', data_type: 'select', select_options };
  assert.equal(checkFieldValue(field, 'Kitchen'), { value: 'a1' });
  assert.equal(checkFieldValue(field, 'a1'), { value: 'a1' });
  assert.equal(checkFieldValue(field, 'Attic'), { expected: 'one of Kitchen' });
});

customFields('an unknown type accepts anything', () => {
  assert.equal(checkFieldValue({ id: 1, name: 'New', data_type: 'colour' }, 5), { value: 5 });
});
