import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { SCAN_RECORD_SCHEMA } from '../../../service/archive/scan-record-schema.ts';
import { SCAN_STATES } from '../../../service/scan/scan-record.ts';
import { storedRecord } from '../../support/stored-scan.ts';

const test = suite('what a record must hold to be believed');

const DOCUMENT = {
  filename: 'document-0001.pdf',
  pages: [1, 2],
  page_count: 2,
  bytes: 100,
  sha256: 'a'.repeat(64),
  title: 'Tea',
  destinations: [
    { status: 'submitted', task_id: 't' },
    { status: 'failed', error: 'e' },
  ],
  outcomes: ['accepted', 'refused'],
} as const;

const whole = (change: object = {}): unknown =>
  JSON.parse(JSON.stringify({ ...storedRecord(), documents: [DOCUMENT], ...change }));

const problemOf = (record: unknown): string | undefined =>
  SCAN_RECORD_SCHEMA.validate(record).error?.message;

test('a record is read as it was written', () => {
  for (const state of SCAN_STATES) {
    const record = whole({ state, error: null, ended_at: null, duration_ms: null });
    const { value, error } = SCAN_RECORD_SCHEMA.validate(record);
    assert.is(error, undefined);
    assert.equal(JSON.parse(JSON.stringify(value)), record);
  }
});

test('all that a request may say of a document is kept', () => {
  const request = { title: 'Tea', tags: [1], custom_fields: { 1: 'R-1', 2: null, 3: [4, 5] } };
  assert.is(problemOf(whole({ request })), undefined);
});

/** Each is a change that a disk, a person or an attacker may make. */
const WRONG: [string, object, RegExp][] = [
  ['a state that there is not', { state: 'done' }, /state/],
  ['a stage that there is not', { stage: 'print' }, /stage/],
  ['an id that is a path', { scan_id: '../x' }, /scan_id/],
  ['a page out of the directory', { pages: ['../page-0001.tif'] }, /pages\[0\]/],
  ['a page count as text', { page_count: '2' }, /page_count/],
  ['a negative duration', { duration_ms: -1 }, /duration_ms/],
  ['a time that is none', { started_at: 'yesterday' }, /started_at/],
  ['an error that is not in the catalogue', { error: { error: 'x', message: '' } }, /error/],
  ['a prototype property as an error', { error: { error: 'toString', message: '' } }, /error/],
  ['a document out of the directory', { documents: [{ ...DOCUMENT, filename: '/x' }] }, /filename/],
  ['a document without pages', { documents: [{ ...DOCUMENT, pages: [] }] }, /pages/],
  ['a hash that is too short', { documents: [{ ...DOCUMENT, sha256: 'ab' }] }, /sha256/],
  [
    'an outcome that there is not',
    { documents: [{ ...DOCUMENT, outcomes: ['accepted', 'lost'] }] },
    /outcomes\[1\]/,
  ],
  [
    'an outcome too few, which would be sent again',
    { documents: [{ ...DOCUMENT, outcomes: ['accepted'] }] },
    /outcomes/,
  ],
  [
    'an entry of both shapes',
    { documents: [{ ...DOCUMENT, destinations: [{ status: 'failed', error: '', task_id: '' }] }] },
    /destinations/,
  ],
  ['a field that there is not', { colour: 1 }, /colour/],
  ['no settings', { settings: undefined }, /settings/],
  [
    'settings with a wrong device',
    { settings: { ...storedRecord().settings, device: 5 } },
    /device/,
  ],
];

for (const [what, change, said] of WRONG) {
  test(`${what} is not believed`, () => assert.match(problemOf(whole(change)) ?? '', said));
}

test('everything that is wrong is told at once', () => {
  const problem = problemOf(whole({ state: 'x', pages: 1 })) ?? '';
  assert.match(problem, /state/);
  assert.match(problem, /pages/);
});

test.run();
