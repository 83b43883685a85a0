import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  documentTitle,
  pageOptionsSchema,
  pageQuery,
  readErrorBody,
  readHealth,
  readPageFacts,
  readWarnings,
  writePageFacts,
  writeWarnings,
} from '../../helpers/processor-contract.ts';

const test = suite('the contract of service and processor');

test('warnings are ASCII whatever the text, and read back the same', () => {
  const warnings = ['one', 'two "quoted"', 'Blatt für Ölwechsel – 日本 🖨 \n'];
  const header = writeWarnings(warnings);
  assert.match(header, /^[\x20-\x7E]+$/);
  assert.equal(readWarnings(header), warnings);
  assert.equal(readWarnings(writeWarnings([])), []);
});

test('warnings are of bounded length, and say how many were left out', () => {
  const warnings = readWarnings(writeWarnings(Array.from({ length: 100 }, () => 'ü'.repeat(1000))));
  assert.is(warnings?.length, 21);
  assert.is(warnings?.at(-1), '80 more warnings');
  assert.is(warnings?.[0], 'ü'.repeat(200));
});

test('anything else is no list of warnings', () => {
  const others = [
    undefined,
    '',
    'text',
    '{}',
    '"text"',
    '[1]',
    '[null]',
    '["cut',
    ['["a"]', '["b"]'],
  ];
  for (const header of others) assert.is(readWarnings(header), undefined, String(header));
});

test('facts read back the same, with fields of a later version or without words', () => {
  const facts = { turned: -1.25, words: 0, characters: 0, confidence: null };
  assert.equal(readPageFacts(writePageFacts(facts)), facts);
  assert.is(
    readPageFacts('{"turned":0,"words":1,"characters":2,"confidence":3,"ink":4}')?.words,
    1,
  );
  for (const header of [
    undefined,
    '[]',
    '{}',
    '{"turned":0,"words":1,"characters":2,"confidence":"3"}',
  ]) {
    assert.is(readPageFacts(header), undefined);
  }
});

test('options survive the query', () => {
  const options = {
    languages: ['eng', 'script/Latin'],
    deskew: true,
    rotate_pages: false,
    optimize: 2,
  };
  const { languages = '', ...rest } = Object.fromEntries(pageQuery(options));
  const { value } = pageOptionsSchema.validate({ ...rest, languages: languages.split(',') });
  assert.equal(value, options);
});

test('a title has no control characters, no half characters and an end', () => {
  for (const title of [
    'a\nb',
    'a\tb',
    'a\0',
    '\x7F',
    '\u0085',
    '\uD800',
    '\uFFFE',
    'x'.repeat(501),
  ]) {
    assert.ok(documentTitle.validate(title).error, JSON.stringify(title));
  }
  for (const title of ['', 'Ärger & <Müll> 🖨', 'x'.repeat(500)]) {
    assert.is(documentTitle.validate(title).error, undefined);
  }
});

test('bodies of something else are not taken for ours', () => {
  assert.is(readHealth('<html>'), undefined);
  assert.is(readHealth('{"status":"ok","versions":{},"languages":[],"workers":0}'), undefined);
  assert.is(
    readHealth('{"status":"ok","versions":{},"languages":[],"workers":1,"new":1}')?.workers,
    1,
  );
  assert.is(readErrorBody('{"error":"x"}'), undefined);
  assert.equal(readErrorBody('{"error":"x","message":"y"}'), { error: 'x', message: 'y' });
});

test.run();
