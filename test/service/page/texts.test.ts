import { CAUSE_SENTENCES } from '../../../service/paperless/causes.ts';
import { WARNING_SENTENCES } from '../../../helpers/warnings.ts';
import * as laterInEnglish from '../../../service/page/texts/later-english.js';
import * as laterInGerman from '../../../service/page/texts/later-german.js';
import { CATALOGUE } from '../../../helpers/failure.ts';
import * as english from '../../../service/page/texts/english.js';
import { factsText } from '../../../service/page/texts/facts.js';
import * as german from '../../../service/page/texts/german.js';
import { assert, suite } from '../../support/suite.ts';

/** Every code of a warning or of the cause of a failed delivery. */
const SAID = new Set(
  Object.keys({ ...WARNING_SENTENCES, ...CAUSE_SENTENCES }).map((key) => key.split('/')[0] ?? key),
);

/** Facts of every name, as far as a sentence asks for them. */
const FACTS = new Proxy({}, { get: (_, name) => `<${String(name)}>` });

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

for (const [language, { said }] of Object.entries({
  english: laterInEnglish,
  german: laterInGerman,
})) {
  test(`every code of a warning or a cause has a sentence in ${language}, and no other has`, () => {
    assert.equal(Object.keys(said).toSorted(), [...SAID].toSorted());
    for (const [code, sentence] of Object.entries(said)) {
      assert.match(sentence(FACTS), /^[\p{Lu}<„“].*\.$/u, code);
      assert.not.match(sentence({ system: 'http://dms' }), /\(undefined\)/, code);
    }
  });
}

test('both languages have the same texts, and say each for one and for many', () => {
  const keysOf = (...texts: object[]): string[] => texts.flatMap(Object.keys).toSorted();
  assert.equal(
    keysOf(german.texts, laterInGerman.later),
    keysOf(english.texts, laterInEnglish.later),
  );
  assert.is(english.texts.pages(1), '1 page');
  assert.is(english.texts.pages(2), '2 pages');
  assert.is(german.texts.pages(1), '1 Seite');
  assert.is(german.texts.pages(0), '0 Seiten');
  assert.match(laterInGerman.later.profileProblems(1), /^1 Profil hat einen Fehler und ist /);
  assert.match(laterInEnglish.later.profileProblems(2), /^2 profiles have a mistake /);
});

const VALUES = ['Amount', 'Due'].map((value) => ({
  field: 'custom_fields',
  value,
  expected: 'The custom field cannot have the value.',
}));

test('what an error is about is said from its facts', () => {
  const fact = { field: 'tags', expected: 'No tag has this name.', value: 'bils', near: ['bills'] };
  const bodies = [
    { error: 'metadata_not_found', message: 'English', fields: [fact] },
    { error: 'sheet_count_mismatch', message: 'English', fronts: 3, backs: 1 },
    { error: 'insufficient_storage', message: 'English', free_bytes: 1.9e6, needed_bytes: 5e8 },
    { error: 'scan_option_rejected', message: 'English', option: 'resolution', value: 1200 },
    { error: 'invalid_body', message: 'English', fields: VALUES },
    { error: 'scanner_jammed', message: 'English' },
  ];
  assert.equal(
    bodies.map((body) => factsText(english.texts, body)),
    [
      '“bils” does not exist. Similar: bills.',
      '3 fronts, 1 back.',
      '1 MB are free, 500 MB are needed.',
      'resolution: 1200.',
      'custom_fields: Amount. custom_fields: Due.',
      '',
    ],
  );
});

/** Errors that only an operator can mend. */
const FOR_OPERATORS =
  'scanner_runtime_unreachable processor_unreachable output_dir_in_use internal_error no_profiles_loaded';

for (const [language, { errors, texts }, { later }] of [
  ['english', english, laterInEnglish],
  ['german', german, laterInGerman],
] as const) {
  test(`operators get one line with a command to pass on, and others what they can do, in ${language}`, () => {
    const lines = FOR_OPERATORS.split(' ').map((code) => errors[code]?.[1] ?? '');
    lines.push(texts.noProfilesAdvice, texts.causeUnknown, later.tokenWrong, later.setUpOperator);
    for (const line of lines) assert.match(line, /npm run (doctor|setup)/);
    // After a double feed that mends it, and no switching off and on.
    assert.match(errors['scanner_error']?.[1] ?? '', /^(Fan the stack|Fächern Sie)/);
  });
}
