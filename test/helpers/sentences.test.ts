import { createReader, fill, type Sentences } from '../../helpers/sentences.ts';
import { explainWarning, warning, WARNING_SENTENCES } from '../../helpers/warnings.ts';
import {
  cause,
  CAUSE_SENTENCES,
  explainCause,
  SEARCH_FIRST,
} from '../../service/paperless/causes.ts';
import { assert, suite } from '../support/suite.ts';

const test = suite('sentences with codes and facts');

/** Facts for a template, each of another value. */
function factsFor(template: string): Record<string, string | number> {
  const names = [...template.matchAll(/\{(#?)(\w+)\}/g)];
  return Object.fromEntries(
    names.map(([, mark, name = ''], index) => [name, mark === '#' ? index + 1 : `some-${name}`]),
  );
}

const CATALOGUES: Record<string, Sentences> = {
  warnings: WARNING_SENTENCES,
  causes: CAUSE_SENTENCES,
};

for (const [what, sentences] of Object.entries(CATALOGUES)) {
  test(`every sentence of the ${what} is read back as what it was made of`, () => {
    const read = createReader(sentences);
    for (const [key, template] of Object.entries(sentences)) {
      const facts = factsFor(template);
      const code = key.split('/')[0];
      assert.equal(read(fill(template, facts)), { code, facts }, key);
    }
  });
}

test('a warning is read with the page or document that stands before it', () => {
  assert.equal(explainWarning(`Page 12: ${warning('not_turned', {})}`), {
    code: 'not_turned',
    facts: { page: 12 },
  });
  const there = warning('already_there', { system: 'http://dms', id: 7 });
  assert.equal(explainWarning(`document-0002.pdf: ${there}`), {
    code: 'already_there',
    facts: { system: 'http://dms', id: 7, document: 'document-0002.pdf' },
  });
});

test('a cause is read also where it says to search first', () => {
  const gone = cause('no_answer/time', { system: 'http://dms', seconds: '60 s' });
  const said = { code: 'no_answer', facts: { system: 'http://dms', seconds: '60 s' } };
  assert.equal(explainCause(`${gone} ${SEARCH_FIRST}`), said);
  assert.equal(explainCause(warning('being_filed', { system: 'http://dms' }))?.code, 'being_filed');
});

test('several names that cannot be used are all named, and one that cannot be looked up is what is in the way', () => {
  const missing = ['a', 'b'].map((name) =>
    cause('name_missing', { kind: 'tag', name, system: 'http://dms' }),
  );
  assert.equal(explainCause(missing.join(' ')), {
    code: 'name_missing',
    facts: { kind: 'tag', name: 'a", "b', system: 'http://dms' },
  });
  const values = ['Amount', 'Due'].map((name) =>
    cause('name_unusable/value', { name, value: '"x"', expected: 'a number' }),
  );
  assert.equal(explainCause(values.join(' ')), {
    code: 'name_unusable',
    facts: { name: 'Amount", "Due', value: '"x"', expected: 'a number' },
  });
  const other = cause('name_missing', { kind: 'document type', name: 'c', system: 'http://dms' });
  assert.equal(
    explainCause([...values, missing[0], other].join(' '))?.facts['name'],
    'Amount", "Due',
  );
  assert.equal(explainCause([missing[0], other].join(' ')), {
    code: 'name_missing',
    facts: { kind: 'name', name: 'a", "c', system: 'http://dms' },
  });
  const lookUp = { kind: 'tag', name: 'a' };
  const refused = cause('token/refused', { said: '401', secret: 'paperless' });
  assert.equal(explainCause(cause('unreachable/names', { ...lookUp, cause: refused })), {
    code: 'token',
    facts: { said: '401', secret: 'paperless' },
  });
  const slow = cause('unreachable/names', { ...lookUp, cause: 'http://dms did not answer.' });
  assert.is(explainCause(slow)?.code, 'unreachable');
});

test('what is quoted cannot end its quotation, and what nobody wrote is not explained', () => {
  const text = warning('code_not_used', { text: 'a" is not used: it must be "b' });
  assert.equal(explainWarning(`Page 1: ${text}`), {
    code: 'code_not_used',
    facts: { page: 1, text: "a' is not used: it must be 'b" },
  });
  assert.is(explainWarning('Page 3 is nearly blank.'), undefined);
  assert.is(explainCause('Something else.'), undefined);
});
