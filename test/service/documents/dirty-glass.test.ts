import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { planDocuments } from '../../../service/documents/plan-documents.ts';
import { planOf, stack, TEXT, type Side } from './stack.ts';

const test = suite('streaks of dirty glass');

function streaked(...streaks: readonly number[]): Side {
  return { ...TEXT, streaks };
}

/** Warnings of a scan of fronts. */
function warningsOf(...pages: readonly Side[]): readonly string[] {
  return planOf(
    {},
    pages.map((page) => [page]),
  ).warnings;
}

test('at the same place on several pages are one warning that says where to wipe', () => {
  assert.equal(warningsOf(streaked(34.2), TEXT, streaked(33.8)), [
    "Pages 1, 3 have streaks from dirt on the scanner's glass. Wipe the glass at 34 mm from the left edge.",
  ]);
  assert.equal(warningsOf(streaked(120, 34), streaked(34, 90), streaked(120.6), streaked(150)), [
    "Pages 1, 2, 3 have streaks from dirt on the scanner's glass. " +
      'Wipe the glass at 34, 121 mm from the left edge.',
  ]);
});

test('on one page, or at other places on each, are no warning', () => {
  assert.equal(warningsOf(streaked(34, 34.4), TEXT), []);
  assert.equal(warningsOf(streaked(34), streaked(35.5)), []);
});

test('are on one side of a scanner that scans both at once', () => {
  const sheets = [
    [streaked(34), TEXT],
    [TEXT, streaked(34)],
  ];
  assert.equal(planOf({}, sheets).warnings, []);
  assert.equal(planOf({}, [...sheets, [TEXT, streaked(34)]]).warnings, [
    "Pages 4, 6 have streaks from dirt on the scanner's glass. Wipe the glass of the back side at 34 mm from the left edge.",
  ]);
});

test('are of one glass where the sides are fed one after the other', () => {
  const record = { ...stack({}, [[streaked(34), streaked(34)]]), duplex: false };
  assert.match(planDocuments(record).warnings.join(), /^Pages 1, 2 have .* from the left edge\.$/);
});

test('are counted on pages that no document gets, too', () => {
  const dirtyBlank: Side = { ...streaked(34), blank: { score: 0.02, mark: null } };
  const { warnings } = planOf({ remove_blank_pages: 'all' }, [[streaked(34)], [dirtyBlank]]);
  assert.match(warnings.join(), /^Pages 1, 2 have streaks/);
});

test('at many places are counted after the first five', () => {
  const many = streaked(...Array.from({ length: 12 }, (_, index) => 10 + index * 10));
  assert.match(warningsOf(many, many).join(), / at 10, .*, 50, … mm from the left edge\.$/);
});

test.run();
