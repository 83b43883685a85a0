import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { assemblySchema } from '../../../service/profiles/assembly-schema.ts';

const test = suite('the assembly of a profile');

const CONVENTIONS = {
  separator: ['PATCHT'],
  asn_prefix: 'ASN',
  tag_prefix: 'TAG:',
  metadata: false,
};

const READ: [what: string, given: object, barcodes: object | undefined][] = [
  ['nothing', {}, undefined],
  ['blank pages as separators', { page_grouping: 'blank_page' }, undefined],
  ['separators', { page_grouping: 'separator' }, CONVENTIONS],
  ['barcodes without a word', { barcodes: {} }, CONVENTIONS],
  ['one of them', { barcodes: { metadata: true } }, { ...CONVENTIONS, metadata: true }],
];

for (const [what, given, barcodes] of READ) {
  test(`codes are ${barcodes ? '' : 'not '}read for ${what}`, () => {
    assert.equal(assemblySchema.validate(given).value?.barcodes, barcodes);
  });
}

const LIST = /^must be a list of 1 to 10 different texts$/;
const TEXT = /^must be text of 1 to 100 characters without commas and control characters$/;

const REFUSED: [what: string, given: object, expected: RegExp][] = [
  [
    'blank pages removed otherwise',
    { remove_blank_pages: 'fronts' },
    /^must be one of none, backs, all$/,
  ],
  ['a separator that cannot be sent on', { barcodes: { separator: ['A,B'] } }, TEXT],
  ['no separator', { page_grouping: 'separator', barcodes: { separator: [] } }, LIST],
  ['one separator twice', { barcodes: { separator: ['A', 'A'] } }, LIST],
  ['a separator that is no list', { barcodes: { separator: 'A' } }, LIST],
  ['an empty prefix', { barcodes: { asn_prefix: '' } }, TEXT],
  ['metadata that is no yes or no', { barcodes: { metadata: 'yes' } }, /^must be true or false$/],
];

for (const [what, given, expected] of REFUSED) {
  test(`refuses ${what} and says so`, () => {
    const options = { convert: false, errors: { label: false } } as const;
    assert.match(assemblySchema.validate(given, options).error?.message ?? '', expected);
  });
}

test.run();
