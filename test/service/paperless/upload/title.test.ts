import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { numberedTitle, safeTitle } from '../../../../service/paperless/upload/title.ts';

const test = suite('title');

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

test('a title has at most 127 code points, and no half of one', () => {
  const title = safeTitle('😀'.repeat(200)) ?? '';
  assert.is(Array.from(title).length, 127);
  assert.ok(title.isWellFormed());
});

test('line breaks and control characters become one space', () => {
  assert.is(safeTitle('a\r\nb\tc\u2028d'), 'a b c d');
});

test('a numbered title keeps its number, whatever has to be cut off', () => {
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

test.run();
