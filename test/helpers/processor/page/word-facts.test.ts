import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readWordFacts } from '../../../../helpers/processor/page/word-facts.ts';

const test = suite('what the words say about the page');

interface TracedWord {
  readonly text: string;
  readonly certainty: number;
}

/** What Tesseract 5 tells of a line: its place, then each word, among other things. */
function trace(left: number, words: readonly TracedWord[]): string {
  return [
    `Processing word with lang eng at:Bounding box=(${left},1999)->(733,2042)`,
    'Trying word using lang eng, oem 1',
    ...words.flatMap(({ text, certainty }) => [
      `Best choice: accepted=1, adaptable=0, done=1 : Lang result : ${text} : R=10.4886, C=${certainty}, F=1, Perm=2, xht=[0,3.40282e+38], ambig=0`,
      'pos\tNORM\tNORM',
      `str\t${text}`,
      'C\t-0.193\t-0.232',
    ]),
    '1 new words better than 0 old words: r: 10.4886 v 0 c: -1.62376 v 0 valid dict: 0 v 0',
  ].join('\n');
}

test('weighs the confidence of the words by their length', () => {
  const facts = readWordFacts(
    trace(10, [
      { text: 'ab', certainty: -1 },
      { text: 'abcdef', certainty: -5 },
    ]),
  );
  assert.is(facts.characters, 8);
  assert.is(facts.confidence, (2 * 95 + 6 * 75) / 8);
});

test('keeps the confidence between 0 and 100', () => {
  assert.is(readWordFacts(trace(10, [{ text: 'abc', certainty: -33 }])).confidence, 0);
  assert.is(readWordFacts(trace(10, [{ text: 'abc', certainty: 2 }])).confidence, 100);
});

test('a page is sideways when most of its lines lie left of it', () => {
  const upright = trace(10, [{ text: 'one', certainty: -1 }]);
  const turned = trace(-10, [{ text: 'two', certainty: -1 }]);
  assert.is(readWordFacts(upright).sideways, false);
  assert.is(readWordFacts(turned).sideways, true);
  assert.is(readWordFacts([upright, turned].join('\n')).sideways, false);
  assert.is(readWordFacts([upright, turned, turned].join('\n')).sideways, true);
});

test('few words that Tesseract is not sure of are noise', () => {
  const unsure = { text: 'teil', certainty: -16 };
  assert.is(readWordFacts(trace(10, [unsure, unsure])).noise, true);
  assert.is(readWordFacts(trace(10, [unsure, { text: '12', certainty: -5 }])).noise, false);
  assert.is(readWordFacts(trace(10, [unsure, { text: 'I', certainty: -1 }])).noise, true);
  assert.is(
    readWordFacts(
      trace(
        10,
        Array.from({ length: 30 }, () => unsure),
      ),
    ).noise,
    false,
  );
});

test('a page without words is no noise, and neither is one that nothing is known of', () => {
  for (const text of ['', 'Empty page!!\n', 'a format of the future\n']) {
    const facts = {
      lines: 0,
      words: 0,
      characters: 0,
      confidence: 0,
      sideways: false,
      noise: false,
      first_line: '',
    };
    assert.equal(readWordFacts(text), facts);
  }
});

test('the first line is the first one with a word that is likely to be one', () => {
  const dust = trace(10, [{ text: '~.', certainty: -16 }]);
  const title = trace(10, [
    { text: 'Annual', certainty: -1 },
    { text: 'st@tement', certainty: -12 },
  ]);
  const text = trace(10, [{ text: 'Dear', certainty: -1 }]);
  assert.is(readWordFacts([dust, title, text].join('\n')).first_line, 'Annual st@tement');
  assert.is(readWordFacts(dust).first_line, '');
  const long = trace(
    10,
    Array.from({ length: 60 }, () => ({ text: 'word', certainty: -1 })),
  );
  assert.is(readWordFacts(long).first_line.length, 100 - 1);
});

test.run();
