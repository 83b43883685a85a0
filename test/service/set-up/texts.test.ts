import { ENGLISH } from '../../../service/set-up/texts/english.ts';
import { GERMAN } from '../../../service/set-up/texts/german.ts';
import { messageFor, textOf } from '../../../service/set-up/texts/texts.ts';
import { assert, suite } from '../../support/suite.ts';

const test = suite('texts of set-up');

const factsIn = (text: string): string[] => (text.match(/\{[a-z_]+\}/gu) ?? []).toSorted();

test('each text has the same facts in German as in English', () => {
  assert.equal(Object.keys(GERMAN).toSorted(), Object.keys(ENGLISH).toSorted());
  const facts = (texts: Readonly<Record<string, string>>): object =>
    Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, factsIn(text)]));
  assert.equal(facts(GERMAN), facts(ENGLISH));
});

test('facts are inserted verbatim, even if they look like a fact or a pattern', () => {
  const message = messageFor('time_zone.unknown', { given: '{given} $& {other}' });
  assert.is(
    textOf(message),
    'There is no time zone "{given} $& {other}". It is a name such as Europe/Berlin.',
  );
  assert.is(
    textOf(message, 'de'),
    'Die Zeitzone „{given} $& {other}“ gibt es nicht. Zeitzonen heißen zum Beispiel Europe/Berlin.',
  );
});
