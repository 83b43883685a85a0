import { planDocuments } from '../../../service/documents/plan-documents.ts';
import { assert, suite } from '../../support/suite.ts';
import { BLANK, planOf, SEPARATOR, stack, TEXT, type Side } from './stack.ts';

const test = suite('what is said of pages');

const streaked = (...streaks: readonly number[]): Side => ({ ...TEXT, streaks });
const UNCUT: Side = { ...TEXT, cropped: false };
const CUT: Side = { ...TEXT, cropped: true };
const UNREAD: Side = { ...TEXT, words: 0, characters: 0, confidence: null, unread: true };

const WIPE = "from dirt on the scanner's glass. Wipe the glass";
const SET_SIZE =
  'its edges cannot be told from the backing of the scanner. Set page_size to the size of the paper.';
const ADVICE = 'should have text, scan the paper again with more contrast or resolution.';

/** Fronts, and the one warning about them; none where it is undefined. */
const FRONTS: [string, Side[], string | undefined][] = [
  [
    'streaks at the same place on several pages: where to wipe',
    [streaked(34.2), TEXT, streaked(33.8)],
    `Pages 1, 3 have streaks ${WIPE} at 34 mm from the left edge.`,
  ],
  [
    'streaks at two places',
    [streaked(120, 34), streaked(34, 90), streaked(120.6), streaked(150)],
    `Pages 1, 2, 3 have streaks ${WIPE} at 34, 121 mm from the left edge.`,
  ],
  [
    'streaks at many places are counted after the first five',
    Array.from({ length: 2 }, () =>
      streaked(...Array.from({ length: 12 }, (_, at) => 10 + at * 10)),
    ),
    `Pages 1, 2 have streaks ${WIPE} at 10, 20, 30, 40, 50, … mm from the left edge.`,
  ],
  ['streaks on one page', [streaked(34, 34.4), TEXT], undefined],
  ['streaks at other places on each', [streaked(34), streaked(35.5)], undefined],
  [
    'a page with ink and no text',
    [TEXT, UNREAD],
    `No text was found on page 2, which is not blank. If it ${ADVICE}`,
  ],
  [
    'several pages with ink and no text',
    [TEXT, UNREAD, TEXT, TEXT, UNREAD],
    `No text was found on pages 2, 5, which are not blank. If they ${ADVICE}`,
  ],
  ['blank pages', [BLANK, { ...BLANK, blank: null }], undefined],
  ['a page that could not be cut', [TEXT, UNCUT], `Page 2 was not cut to the paper: ${SET_SIZE}`],
  ['several uncut ones', [UNCUT, CUT, UNCUT], `Pages 1, 3 were not cut to the paper: ${SET_SIZE}`],
  [
    'more than twenty that could not be cut',
    Array.from({ length: 22 }, () => UNCUT),
    `Pages ${Array.from({ length: 20 }, (_, at) => at + 1).join(', ')}, … were not cut to the paper: ${SET_SIZE}`,
  ],
  ['pages that were cut, or of which nothing was to be cut', [TEXT, CUT], undefined],
];

for (const [what, pages, warning] of FRONTS) {
  test(what, () => {
    const sheets = pages.map((page) => [page]);
    assert.equal(planOf({}, sheets).warnings, warning === undefined ? [] : [warning]);
  });
}

test('streaks are on one side of a scanner that scans both at once', () => {
  const sheets = [
    [streaked(34), TEXT],
    [TEXT, streaked(34)],
  ];
  assert.equal(planOf({}, sheets).warnings, []);
  assert.equal(planOf({}, [...sheets, [TEXT, streaked(34)]]).warnings, [
    `Pages 4, 6 have streaks ${WIPE} of the back side at 34 mm from the left edge.`,
  ]);
});

test('streaks are of one glass where the sides are fed one after the other', () => {
  const record = { ...stack({}, [[streaked(34), streaked(34)]]), duplex: false };
  assert.match(planDocuments(record).warnings.join(), /^Pages 1, 2 have .* from the left edge\.$/);
});

test('streaks are counted on pages that no document gets, and missing text is not', () => {
  const dirtyBlank: Side = { ...streaked(34), blank: { score: 0.02, mark: null } };
  const { warnings } = planOf({ remove_blank_pages: 'all' }, [[streaked(34)], [dirtyBlank]]);
  assert.match(warnings.join(), /^Pages 1, 2 have streaks/);
  const assembly = { page_grouping: 'separator', barcodes: { separator: ['PATCHT'] } };
  const separated = planOf(assembly, [[TEXT], [{ ...UNREAD, ...SEPARATOR }]]);
  assert.is(separated.dropped_pages.length, 1);
  assert.equal(separated.warnings, []);
});

test('missing text is no warning where the text of the scan does not matter', () => {
  const record = stack({ processing: { low_confidence: 0 } }, [[UNREAD]]);
  assert.equal(planDocuments(record).warnings, []);
});
