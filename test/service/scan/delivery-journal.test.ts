import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { accepted, refused, unknown } from '../../../service/destinations/destination.ts';
import {
  journalHead,
  journalLine,
  parseJournal,
  withNotes,
  type DeliveryNote,
} from '../../../service/scan/delivery-journal.ts';
import type { ScannedDocument } from '../../../service/scan/scan-record.ts';

const test = suite('the journal of a delivery');

const NOTES: readonly DeliveryNote[] = [
  { document: 0, destination: 0, ...accepted('1') },
  { document: 0, destination: 1, ...unknown('cut off') },
  { document: 0, destination: 1, ...refused('line\nbreak') },
];
const [FIRST, SECOND, THIRD] = NOTES as [DeliveryNote, DeliveryNote, DeliveryNote];
const TEXT = journalHead(7) + journalLine([FIRST]) + journalLine([SECOND, THIRD]);

test('is read as it was written', () => {
  assert.equal(parseJournal(TEXT), { revision: 7, notes: NOTES });
});

test('a line counts as a whole or not at all, wherever it was cut off', () => {
  const before = TEXT.length - journalLine([SECOND, THIRD]).length;
  for (let length = before; length < TEXT.length; length += 1) {
    const content = parseJournal(TEXT.slice(0, length));
    assert.equal(content, { revision: 7, notes: [FIRST] }, `cut off at ${length}`);
  }
});

test('so does one of which a disk wrote the end and not the beginning', () => {
  const torn = `${'\0'.repeat(20)}${journalLine([SECOND, THIRD]).slice(20)}`;
  const text = journalHead(7) + journalLine([FIRST]) + torn;
  assert.equal(parseJournal(text), { revision: 7, notes: [FIRST] });
});

test('a damaged line with another one behind it is more than a line that was cut off', () => {
  const text = `${journalHead(7)}{"docu\n${journalLine([FIRST])}`;
  assert.not.equal(parseJournal(text).notes, [FIRST]);
});

for (const text of ['', '\n', 'x', '\0\0\0', '{"revision":7']) {
  test(`${JSON.stringify(text)} is none`, () => {
    assert.throws(() => parseJournal(text), /JSON/);
  });
}

const DOCUMENT: ScannedDocument = {
  filename: 'document-0001.pdf',
  pages: [1],
  page_count: 1,
  bytes: 1,
  sha256: 'a'.repeat(64),
  title: 'Tea',
  destinations: [{ status: 'failed', error: 'earlier' }],
  outcomes: ['refused'],
};

test('a later note overrules an earlier one, and what nobody noted stays', () => {
  const other = { ...DOCUMENT, destinations: [], outcomes: [] };
  assert.equal(withNotes([DOCUMENT, other], NOTES), [
    {
      ...DOCUMENT,
      destinations: [
        { status: 'submitted', task_id: '1' },
        { status: 'failed', error: 'line\nbreak' },
      ],
      outcomes: ['accepted', 'refused'],
    },
    other,
  ]);
  assert.equal(DOCUMENT.outcomes, ['refused']);
});

for (const place of [
  { document: 1, destination: 0 },
  { document: 0, destination: 2 },
]) {
  test(`a note of ${JSON.stringify(place)}, which there is not, is refused`, () => {
    assert.throws(() => withNotes([DOCUMENT], [{ ...place, ...accepted('1') }]), /no delivery/);
  });
}

test.run();
