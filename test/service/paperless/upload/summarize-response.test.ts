import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  summarize,
  type ResponseSummary,
} from '../../../../service/paperless/upload/summarize-response.ts';
import { createRedactor } from '../../../../service/paperless/token.ts';

const test = suite('summary of a response');

const TOKEN = '0123456789abcdef0123456789abcdef01234567';

function summary(body: string): ResponseSummary {
  return summarize(body, createRedactor(TOKEN));
}

const CASES: readonly (readonly [string, string, string, string])[] = [
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
  [
    'the title of a page',
    '<html><title>\n 502 Bad\nGateway</title><h1>x</h1>',
    'html',
    '502 Bad Gateway',
  ],
  ['the heading of a page', '<h1>Server Error <b>(500)</b></h1>', 'html', 'Server Error (500)'],
  ['the text of a page without both', '<p>no <i>title</i></p>', 'html', 'no title'],
  ['plain text', 'Insufficient permissions', 'text', 'Insufficient permissions'],
  ['nothing', ' \n', 'empty', ''],
  ['control characters', 'a\u0000b\u001b[31mc\u202ed', 'text', 'a b [31mc d'],
];

for (const [title, body, format, text] of CASES) {
  test(`${title} is one line`, () => {
    assert.equal(summary(body), { format, text });
  });
}

test('a long text is cut to 200 characters', () => {
  const { text } = summary('😀'.repeat(500));
  assert.is(Array.from(text).length, 200);
  assert.ok(text.endsWith('…') && text.isWellFormed());
});

test('a token that a page escapes is taken out', () => {
  const codes = Array.from(TOKEN, (character) => character.charCodeAt(0));
  for (const spelled of [
    codes.map((code) => `&#${code};`).join(''),
    codes.map((code) => `&#x${code.toString(16)};`).join(''),
    codes.map((code) => `%${code.toString(16)}`).join(''),
  ]) {
    assert.is(summary(`<title>Token ${spelled}</title>`).text, 'Token [token]');
  }
});

test('a token that JSON escapes is taken out, also of JSON that is cut off, or in a text in JSON', () => {
  const escaped = Array.from(
    TOKEN,
    (character) => `\\u00${character.charCodeAt(0).toString(16)}`,
  ).join('');
  assert.is(summary(`{"detail":"Token ${escaped}"}`).text, 'Token [token]');
  assert.is(summary(`{"detail":"Token ${escaped}`).text, '{"detail":"Token [token]');
  assert.is(summary(JSON.stringify({ detail: `"${escaped}"` })).text, '"[token]"');
});

test('a token that comes back is taken out, also where the text is cut', () => {
  for (const before of [0, 180, 190, 199]) {
    const { text } = summary(`${'x'.repeat(before)}${TOKEN} and ${TOKEN}`);
    assert.not.match(text, /0123/);
  }
});

test.run();
