import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { wordFactsOf, type FoundLine } from '../../../../helpers/processor/page/word-facts.ts';

const test = suite('what the words say about the page');

/** A line of words, each so many pixels right of the one before. */
function line(words: readonly (readonly [string, number])[], sideways = false): FoundLine {
  return {
    sideways,
    words: words.map(([text, confidence], index) => [
      text,
      confidence,
      index * 100,
      20,
      index * 100 + 80,
      50,
    ]),
  };
}

function times<Item>(count: number, item: Item): Item[] {
  return Array.from({ length: count }, () => item);
}

test('weighs the confidence of the words by their length', () => {
  const facts = wordFactsOf([
    line([
      ['ab', 95],
      ['abcdef', 75],
    ]),
  ]);
  assert.is(facts.characters, 8);
  assert.is(facts.confidence, (2 * 95 + 6 * 75) / 8);
});

test('a page is sideways when most of its lines run up or down', () => {
  const upright = line([['one', 95]]);
  const turned = line([['two', 95]], true);
  assert.is(wordFactsOf([upright]).sideways, false);
  assert.is(wordFactsOf([turned]).sideways, true);
  assert.is(wordFactsOf([upright, turned]).sideways, false);
  assert.is(wordFactsOf([upright, turned, turned]).sideways, true);
});

test('few words that Tesseract is not sure of are noise', () => {
  const unsure = ['teil', 20] as const;
  assert.is(wordFactsOf([line([unsure, unsure])]).noise, true);
  assert.is(wordFactsOf([line([unsure, ['12', 75]])]).noise, false);
  assert.is(wordFactsOf([line([unsure, ['I', 95]])]).noise, true);
  assert.is(wordFactsOf([line(times(30, unsure))]).noise, false);
});

test('a page without words is no noise', () => {
  assert.equal(wordFactsOf([]), {
    lines: 0,
    words: 0,
    characters: 0,
    confidence: 0,
    sideways: false,
    noise: false,
    first_line: '',
    convincing: [],
    certain: 0,
  });
});

test('knows where the words are that are likely to be some, and how much was read', () => {
  const facts = wordFactsOf([
    line([
      ['Dear', 90],
      ['~.', 20],
      ['I', 95],
      ['Sir', 60],
    ]),
  ]);
  assert.equal(facts.convincing, [
    { left: 0, top: 20, right: 80, bottom: 50 },
    { left: 300, top: 20, right: 380, bottom: 50 },
  ]);
  assert.is(facts.certain, 4 * 0.9 + 3 * 0.6);
});

test('the first line is the first one with a word that is likely to be one', () => {
  const dust = line([['~.', 20]]);
  const title = line([
    ['Annual', 95],
    ['st@tement', 40],
  ]);
  const text = line([['Dear', 95]]);
  assert.is(wordFactsOf([dust, title, text]).first_line, 'Annual st@tement');
  assert.is(wordFactsOf([dust]).first_line, '');
  assert.is(wordFactsOf([line(times(60, ['word', 95] as const))]).first_line.length, 100 - 1);
});

test.run();
