import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CATALOGUE } from '../../../helpers/failure.ts';
import * as english from '../../../service/page/texts/english.js';
import * as german from '../../../service/page/texts/german.js';

const test = suite('the texts of the control page');

/** Of the page itself: no answer came. */
const OWN = ['unreachable', 'not_answered'];

for (const [language, { errors }] of Object.entries({ english, german })) {
  test(`every error code has a title and an advice in ${language}, and no other has`, () => {
    const codes = [...Object.keys(CATALOGUE), ...OWN];
    assert.equal(
      codes.filter((code) => !Object.hasOwn(errors, code)),
      [],
      'give these a sentence in service/page/texts/',
    );
    for (const [code, [title, advice]] of Object.entries(errors)) {
      assert.match(title, /^\p{Lu}.{3,45}[^.]$/u, code);
      assert.match(advice, /^\p{Lu}.*\.$/u, code);
    }
  });
}

test('both languages have the same texts, and say each for one and for many', () => {
  assert.equal(Object.keys(german.texts).toSorted(), Object.keys(english.texts).toSorted());
  assert.is(english.texts.pages(1), '1 page');
  assert.is(english.texts.pages(2), '2 pages');
  assert.is(german.texts.pages(1), '1 Seite');
  assert.is(german.texts.pages(0), '0 Seiten');
  assert.match(german.texts.profileProblems(1), /^1 Profil hat einen Fehler und ist /);
  assert.match(english.texts.profileProblems(2), /^2 profiles have a mistake /);
});

test.run();
