import type { PageOptions } from '../../../helpers/processor-contract.ts';
import { isAsWanted, pageOptions } from '../../../service/documents/page-options.ts';
import { PAGE_FACTS } from '../../support/page-facts.ts';
import { testProfile } from '../../support/test-profile.ts';
import { assert, suite } from '../../support/suite.ts';

const test = suite('what the processor is asked to do with a page');

function optionsOf(profile: object, side: 'front' | 'back' = 'front'): PageOptions {
  return pageOptions(testProfile({ name: 'a', ...profile }), { side });
}

const PLAIN = optionsOf({});
const BLANKS = optionsOf({ assembly: { remove_blank_pages: 'all' } });
const SEPARATED = optionsOf({ assembly: { page_grouping: 'separator' } });

test('nothing is examined or read that decides nothing', () => {
  const asked = ({ examine, codes, separators, drop_blank }: PageOptions): unknown[] => [
    examine,
    codes,
    separators,
    drop_blank,
  ];
  assert.equal(asked(PLAIN), [false, false, [], false]);
  assert.equal(asked(BLANKS), [true, false, [], true]);
  assert.equal(asked(SEPARATED), [false, true, ['PATCHT'], false]);
  assert.equal(asked(optionsOf({ assembly: { page_grouping: 'blank_page' } })), [
    true,
    false,
    [],
    false,
  ]);
  assert.equal(asked(optionsOf({ assembly: { barcodes: {} } })), [false, true, [], false]);
  const backs = { assembly: { remove_blank_pages: 'backs' } };
  assert.equal(asked(optionsOf(backs)), [true, false, [], false]);
  assert.equal(asked(optionsOf(backs, 'back')), [true, false, [], true]);
});

test('what is for documents only is not sent', () => {
  assert.equal(
    Object.keys(optionsOf({ processing: { output_type: 'pdf' } })).includes('output_type'),
    false,
  );
  assert.equal(optionsOf({ processing: { low_confidence: 3 } }), PLAIN);
});

const CASES: [
  what: string,
  had: PageOptions | undefined,
  left: 'blank' | 'separator' | null,
  wanted: PageOptions,
  kept: boolean,
][] = [
  ['the same', PLAIN, null, PLAIN, true],
  ['an earlier version, which did not record its options', undefined, null, PLAIN, false],
  ['another language', PLAIN, null, optionsOf({ processing: { languages: ['deu'] } }), false],
  ['blank pages are to be found now', PLAIN, null, BLANKS, false],
  ['codes are to be read now', PLAIN, null, SEPARATED, false],
  ['less is wanted than is known', BLANKS, null, PLAIN, true],
  ['it was blank, and is wanted now', BLANKS, 'blank', PLAIN, false],
  ['it is blank still', BLANKS, 'blank', BLANKS, true],
  ['it was a separator, and is a page now', SEPARATED, 'separator', PLAIN, false],
  ['it is a separator still', SEPARATED, 'separator', SEPARATED, true],
];

for (const [what, options, left_out, wanted, kept] of CASES) {
  test(`a page is ${kept ? 'taken as it is' : 'recognised anew'}: ${what}`, () => {
    const facts = { ...PAGE_FACTS, left_out };
    const raw = { bytes: 1, modified_at: 1 };
    assert.is(isAsWanted({ facts, options, raw, warnings: [] }, wanted), kept);
  });
}
