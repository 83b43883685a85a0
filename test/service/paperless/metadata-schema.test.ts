import Joi from 'joi';
import { METADATA_RULES } from '../../../service/paperless/metadata-schema.ts';
import { assert, suite } from '../../support/suite.ts';

const test = suite('what may be said of a document');

const schema = Joi.object(METADATA_RULES).prefs({ abortEarly: false, convert: false });
const problemsOf = (metadata: unknown): string[] =>
  schema.validate(metadata).error?.details.map(({ message }) => message) ?? [];

/** Brackets in brackets, as deep as a body of 64 KB can be. */
const deep = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth));

test('custom fields take every value that the system has', () => {
  for (const value of [
    '',
    'R-1',
    'EUR42.00',
    'a\tb\n😀',
    0,
    -1.5,
    1e20,
    true,
    false,
    null,
    [],
    [4, 5],
  ]) {
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
  test(`${what} is no value of a custom field`, () => {
    assert.equal(problemsOf({ custom_fields: { 7: value } }).length, 1);
    assert.match(problemsOf({ custom_fields: { 7: value } })[0] ?? '', 'custom_fields.7');
  });
}

test('the keys of custom fields are their names or ids', () => {
  for (const key of ['iban', '7', 'Rechnung Nº 2', 'constructor']) {
    assert.equal(problemsOf({ custom_fields: { [key]: 1 } }), [], key);
  }
  for (const key of ['', ' 1', 'a\n', 'x'.repeat(129)]) {
    assert.is(problemsOf({ custom_fields: { [key]: 1 } }).length, 1, key);
  }
});

test('a tag is a name or an id', () => {
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
  test(`a title with ${what} is refused, as no PDF could have it`, () => {
    assert.match(problemsOf({ title })[0] ?? '', /^"title" must not contain control characters/);
  });
}

test('a title has at most 127 characters, however many UTF-16 units each takes', () => {
  assert.equal(problemsOf({ title: '😀'.repeat(127) }), []);
  assert.equal(problemsOf({ title: '😀'.repeat(128) }), [
    '"title" must be a text of 1 to 127 characters, without blanks at its ends',
  ]);
});

test('a tag is given once, and not more than a hundred', () => {
  assert.equal(problemsOf({ tags: [1, 1] }).length, 1);
  assert.equal(
    problemsOf({ tags: Array.from({ length: 101 }, (_, index) => index + 1) }).length,
    1,
  );
  assert.equal(problemsOf({ tags: Array.from({ length: 100 }, (_, index) => index + 1) }), []);
  assert.equal(problemsOf({ tags: Array.from({ length: 16_000 }, () => 'x') }), [
    '"tags" must be a list of at most 100 names or ids, each once',
  ]);
});
