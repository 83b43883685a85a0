import type { PageFacts } from '../../../helpers/page-facts.ts';
import type { RecordedPage } from '../../../service/archive/scan-record.ts';
import { turnsToFollow } from '../../../service/documents/follow-turns.ts';
import { PAGE_FACTS } from '../../support/page-facts.ts';
import { testProfile } from '../../support/test-profile.ts';
import { assert, suite } from '../../support/suite.ts';

const test = suite('pages that say too little follow the rest of the scan');

const TELLING = { characters: 900, confidence: 94 };
const SPARSE = { characters: 12, confidence: 20 };
const EMPTY = { characters: 0, words: 0, confidence: null };

type Given = Partial<PageFacts> & { back?: boolean };

function pagesOf(given: readonly Given[]): RecordedPage[] {
  return given.map(({ back = false, ...facts }, index) => ({
    number: index + 1,
    sheet: index + 1,
    side: back ? 'back' : 'front',
    filename: `page-000${index + 1}.tif`,
    bytes: 1,
    recognized: {
      facts: { ...PAGE_FACTS, ...facts },
      warnings: [],
      raw: { bytes: 1, modified_at: 1 },
    },
  }));
}

/** Page numbers with their turns. */
function turns(given: readonly Given[], processing: object = {}): [number, number][] {
  const found = turnsToFollow(pagesOf(given), testProfile({ name: 'a', processing }));
  return found.map(([page, turn]) => [page.number, turn]);
}

const upsideDown = { ...TELLING, turned: 180 };

const CASES: [string, Given[], [number, number][]][] = [
  [
    'a stack that was put in upside down',
    [upsideDown, SPARSE, { ...TELLING, turned: 178.6 }, EMPTY],
    [
      [2, 180],
      [4, 180],
    ],
  ],
  [
    'a stack of landscape pages',
    [
      { ...TELLING, turned: 270 },
      { ...SPARSE, turned: 0.4 },
    ],
    [[2, 270]],
  ],
  ['an upright stack', [TELLING, SPARSE, EMPTY], []],
  ['pages that do not agree', [upsideDown, TELLING, SPARSE], []],
  ['a stack that says nothing', [SPARSE, EMPTY], []],
  ['a page that was turned already', [upsideDown, { ...SPARSE, turned: 180 }], []],
  ['a page that was left out', [upsideDown, { ...EMPTY, left_out: 'blank' }], []],
  [
    'backs that are upside down',
    [TELLING, { ...upsideDown, back: true }, SPARSE, { ...SPARSE, back: true }],
    [[4, 180]],
  ],
  ['a back among backs that say nothing', [upsideDown, { ...EMPTY, back: true }], [[2, 180]]],
];

for (const [what, pages, expected] of CASES) {
  test(what, () => assert.equal(turns(pages), expected));
}

test('what rotate_backs turns is no turn of its own', () => {
  const back = { ...TELLING, turned: 180, back: true };
  const sparse = { ...SPARSE, turned: 180, back: true };
  assert.equal(turns([TELLING, back, sparse], { rotate_backs: 180 }), []);
  assert.equal(turns([TELLING, { ...back, turned: 0 }, sparse], { rotate_backs: 180 }), [[3, 180]]);
});

test('nothing is turned where the profile says so', () => {
  assert.equal(turns([upsideDown, SPARSE], { rotate_pages: false }), []);
});
