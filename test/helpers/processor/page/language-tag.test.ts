import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { languageTag } from '../../../../helpers/processor/page/language-tag.ts';

const test = suite('the language of a document');

const TAGS: readonly (readonly [string, string | null])[] = [
  ['eng', 'en'],
  ['deu', 'de'],
  ['ell', 'el'],
  ['deu_frak', 'de'],
  ['frk', 'frk'],
  ['chi_sim_vert', 'zh-Hans'],
  ['script/Latin', null],
  ['osd', null],
  ['MyModel_2', null],
];

for (const [code, tag] of TAGS) {
  test(`${code} is ${tag}`, () => assert.is(languageTag(code), tag));
}

test.run();
