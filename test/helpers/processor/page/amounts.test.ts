import path from 'node:path';
import { outputOf } from '../../../support/programs.ts';
import { assert, suite } from '../../../support/suite.ts';

const test = suite('amounts on receipts');

const PYTHON_DIR = path.resolve(import.meta.dirname, '../../../../helpers/processor/python');

const SCRIPT = `
import json, sys
sys.path.insert(0, sys.argv[1])
from amounts import repair_amounts, zeros_for_letters
lines = json.loads(sys.argv[2])
if sys.argv[3:]:
    zeros_for_letters(lines)
repair_amounts(lines)
print(json.dumps(lines))
`;

const HEIGHT = 40;
const CHARACTER = 20;
/** Gaps between words: within an amount or a sentence, and before a column of prices. */
const NEAR = 15;
const COLUMN = 200;

type Word = readonly [string, number, number, number, number, number, unknown, boolean];
type Line = { readonly height: number; readonly words: readonly Word[] };

/** A line of words. Two spaces stand for the gap before a column. */
function line(text: string): Line {
  let left = 0;
  const words = text.split(' ').flatMap((word): Word[] => {
    if (word === '') {
      left += COLUMN;
      return [];
    }
    const right = left + word.length * CHARACTER;
    const found: Word = [word, 90, left, 0, right, HEIGHT, [[left, 30], [right, 30]], false]; // prettier-ignore
    left = right + NEAR;
    return [found];
  });
  return { height: HEIGHT, words };
}

async function repaired(texts: readonly string[], zeros = false): Promise<Line[]> {
  const lines = JSON.stringify(texts.map(line));
  const args = ['-B', '-c', SCRIPT, PYTHON_DIR, lines, ...(zeros ? ['zeros'] : [])];
  return JSON.parse(await outputOf('/usr/bin/python3', args)) as Line[];
}

async function textsOf(...texts: readonly string[]): Promise<string[]> {
  return shown(await repaired(texts));
}

function shown(lines: readonly Line[]): string[] {
  return lines.map(({ words }) => words.map(([text]) => text).join(' '));
}

test('the parts of an amount are one word', async () => {
  assert.equal(
    await textsOf('TOTAL  57. 80', 'CASH  RM28 .05', 'CHANGE  105 . 00', 'Adj:  -0. 03 S'),
    ['TOTAL 57.80', 'CASH RM28.05', 'CHANGE 105.00', 'Adj: -0.03 S'],
  );
  const [found] = await repaired(['TOTAL  57. 80']);
  const [, amount] = found?.words ?? [];
  const left = 5 * CHARACTER + NEAR + COLUMN;
  const right = left + 5 * CHARACTER + NEAR;
  assert.equal(amount?.slice(1), [90, left, 0, right, HEIGHT, [[left, 30], [right, 30]], false]); // prettier-ignore
});

test('numbers in sentences, and those of columns, stay apart', async () => {
  const texts = ['valid on pages 5, 10 and 20', 'ITEM  3.  20', 'Tel. 03 6206 5567', '1, 2, 3'];
  assert.equal(
    await textsOf(...texts),
    texts.map((text) => text.replaceAll('  ', ' ')),
  );
});

test('the decimal sign that most amounts have is that of all', async () => {
  const prices = ['1.20', '3.50', '10.00', '4.05'];
  assert.equal(await textsOf(...prices, '12,61 S', '3,10 each for the next ten'), [
    ...prices,
    '12.61 S',
    '3,10 each for the next ten',
  ]);
  const commas = prices.map((price) => price.replace('.', ','));
  assert.equal(await textsOf(...commas, '12.61'), [...commas, '12,61']);
  // Three amounts are too few to tell which decimal sign the page uses.
  assert.equal(await textsOf('1.20', '3.50', '12,61'), ['1.20', '3.50', '12,61']);
  assert.equal(await textsOf(...prices, '1,20', '2,20'), [...prices, '1,20', '2,20']);
});

test('a zero that was read as a letter is a zero', async () => {
  const read = ['35.0C', 'RMO.00', '-O.02', '1O.5o S', '24.CC'];
  const zeros = ['35.00', 'RM0.00', '-0.02', '10.50 S', '24.00'];
  const others = ['No.20', 'CO.UK', 'INFO.20', '12.OCT', '5.C', 'O.OO', '1.2.0C', 'A10.0C'];
  assert.equal(shown(await repaired([...read, ...others], true)), [...zeros, ...others]);
});

test('dates, times and thousands are no amounts', async () => {
  const prices = ['1,20', '3,50', '10,00', '4,05'];
  const others = ['12.05.26', '12.05.', '1.234,50', '18:30.25', '0.500'];
  assert.equal(await textsOf(...prices, ...others), [...prices, ...others]);
});
