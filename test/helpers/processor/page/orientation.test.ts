import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readsBetter, turnsToTry } from '../../../../helpers/processor/page/orientation.ts';
import type { WordFacts } from '../../../../helpers/processor/page/word-facts.ts';

const test = suite('which way up a page is');

function facts(given: Partial<WordFacts>): WordFacts {
  return {
    lines: 20,
    words: 200,
    characters: 1000,
    confidence: 95,
    sideways: false,
    noise: false,
    first_line: '',
    convincing: [],
    certain: 950,
    ...given,
  };
}

test('a page that reads well is left as it is', () => {
  assert.equal(turnsToTry(facts({}), ['eng']), []);
});

test('a page that reads badly may stand on its head', () => {
  assert.equal(turnsToTry(facts({ confidence: 35 }), ['eng']), [2]);
});

test('a page on its side is turned the way it reads, or tried both ways', () => {
  assert.equal(turnsToTry(facts({ sideways: true }), ['eng']), [3]);
  assert.equal(turnsToTry(facts({ sideways: true, confidence: 35 }), ['eng']), [1, 3]);
});

test('lines that run down the page are no reason where the language is written so', () => {
  assert.equal(turnsToTry(facts({ sideways: true }), ['jpn', 'jpn_vert']), []);
});

test('nothing is tried on a page without text', () => {
  assert.equal(turnsToTry(facts({ characters: 0, confidence: 0 }), ['eng']), []);
  assert.equal(turnsToTry(facts({ noise: true, confidence: 20 }), ['eng']), []);
});

test('a turn is taken only when the page reads clearly better after it', () => {
  const before = facts({ confidence: 35 });
  assert.is(readsBetter(before, facts({ confidence: 95 }), 2), true);
  assert.is(readsBetter(before, facts({ confidence: 49 }), 2), false);
  assert.is(readsBetter(facts({ confidence: 57 }), facts({ confidence: 70 }), 2), false);
  assert.is(readsBetter(before, facts({ confidence: 95, sideways: true }), 2), false);
});

test('a turn is not taken when text is lost by it', () => {
  const before = facts({ confidence: 35 });
  assert.is(readsBetter(before, facts({ confidence: 95, characters: 400 }), 2), false);
});

test('a page that was read sideways must read as well upright', () => {
  const before = facts({ sideways: true });
  assert.is(readsBetter(before, facts({ confidence: 94 }), 3), true);
  assert.is(readsBetter(before, facts({ confidence: 80 }), 3), false);
  assert.is(readsBetter(before, facts({ sideways: true }), 3), false);
});

test.run();
