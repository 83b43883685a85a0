import {
  documentTitle,
  readErrorBody,
  readHealth,
  readPageFacts,
  readWarnings,
  writePageFacts,
  writeWarnings,
} from '../../helpers/processor-contract.ts';
import { limitCodes, type PageCode, type PageFacts } from '../../helpers/page-facts.ts';
import { PAGE_FACTS } from '../support/page-facts.ts';
import { assert, suite } from '../support/suite.ts';

const PLACE = { x_mm: 10.5, y_mm: 20, width_mm: 30, height_mm: 8 };
const NOT_EXAMINED = { skew: null, blank: null, codes: [], left_out: null };

const test = suite('the contract of service and processor');

test('warnings are ASCII for any text, and parse back to the same', () => {
  const warnings = ['one', 'two "quoted"', 'Blatt für Ölwechsel – 日本 🖨 \n'];
  const header = writeWarnings(warnings);
  assert.match(header, /^[\x20-\x7E]+$/);
  assert.equal(readWarnings(header), warnings);
  assert.equal(readWarnings(writeWarnings([])), []);
});

test('warnings have bounded length, and state how many were omitted', () => {
  const warnings = readWarnings(writeWarnings(Array.from({ length: 100 }, () => 'ü'.repeat(1000))));
  assert.is(warnings?.length, 21);
  assert.is(warnings?.at(-1), '80 more warnings');
  assert.is(warnings?.[0], 'ü'.repeat(200));
});

test('anything else is not a list of warnings', () => {
  const others = ['', 'text', '{}', '"text"', '[1]', '[null]', '["cut', ['["a"]', '["b"]']];
  for (const header of [undefined, ...others])
    assert.is(readWarnings(header), undefined, String(header));
});

test('facts parse back to the same, with fields of a later version or without words', () => {
  const facts: PageFacts = {
    turned: -1.25,
    cropped: true,
    skew: 1.3,
    words: 0,
    characters: 0,
    confidence: null,
    blank: { score: 0.4, mark: PLACE },
    codes: [{ type: 'qr', text: 'Müll 🖨', ...PLACE }],
    left_out: 'blank',
    first_line: '',
    streaks: [34, 120.5],
    unread: true,
    missed: { percent: 31, where: 'right' },
    paper: { x: 0.1, y: 0, width: 0.5, height: 1, angle: 2.5 },
  };
  assert.equal(readPageFacts(writePageFacts(facts)), facts);
  const early = { turned: 0, words: 1, characters: 2, confidence: 3 };
  const read = (changes: object): PageFacts | undefined =>
    readPageFacts(JSON.stringify({ ...early, ...changes }));
  assert.is(read({ ink: 4 })?.words, 1);
  for (const header of [undefined, '[]', '{}']) assert.is(readPageFacts(header), undefined);
  for (const wrong of [{ confidence: '3' }, { first_line: 4 }]) assert.is(read(wrong), undefined);
  // Earlier versions of the processor did not examine pages, so their facts lack these fields.
  const { skew, blank, codes, left_out } = read({}) ?? {};
  assert.equal({ skew, blank, codes, left_out }, NOT_EXAMINED);
});

test('codes are limited to what fits into a header', () => {
  const code = (text: string): PageCode => ({ type: 'qr', text, ...PLACE });
  const many = Array.from({ length: 30 }, (_, index) => code(`ASN${index}`));
  assert.equal(limitCodes([code('x'.repeat(301)), ...many]), many.slice(0, 20));
  const codes = limitCodes(Array.from({ length: 20 }, () => code('日'.repeat(300))));
  assert.is(codes.length, 2);
  const facts = { ...PAGE_FACTS, codes };
  assert.ok(writePageFacts(facts).length < 6 * 1024);
  assert.equal(readPageFacts(writePageFacts(facts)), facts);
});

test('a title has no control characters, no half characters and an end', () => {
  const odd = ['a\nb', 'a\tb', 'a\0', '\x7F', '\u0085', '\uD800', '\uFFFE'];
  for (const title of [...odd, 'x'.repeat(501)]) {
    assert.ok(documentTitle.validate(title).error, JSON.stringify(title));
  }
  for (const title of ['', 'Ärger & <Müll> 🖨', 'x'.repeat(500)]) {
    assert.is(documentTitle.validate(title).error, undefined);
  }
});

test('foreign bodies are not mistaken for ours', () => {
  assert.is(readHealth('<html>'), undefined);
  const health = { status: 'ok', versions: {}, languages: [], workers: 1 };
  assert.is(readHealth(JSON.stringify({ ...health, workers: 0 })), undefined);
  assert.is(readHealth(JSON.stringify({ ...health, new: 1 }))?.workers, 1);
  assert.is(readErrorBody('{"error":"x"}'), undefined);
  assert.equal(readErrorBody('{"error":"x","message":"y"}'), { error: 'x', message: 'y' });
});
