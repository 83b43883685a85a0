import { documentTitle, titlePlaceholderError } from '../../../service/profiles/title-template.ts';
import { assert, suite } from '../../support/suite.ts';

const test = suite('document titles');

const facts = {
  profile: 'invoices',
  scan_id: '20261121T063000Z-8f3a1c',
  started_at: new Date(2026, 10, 1, 7, 5),
  number: 2,
  count: 10,
  serial_number: undefined,
  first_line: '',
};

test('placeholders become the facts of the scan, in local time', () => {
  const title = documentTitle('{profile} {date} {time} {scan_id} {number} of {count}', facts);
  assert.is(title, 'invoices 2026-11-01 07:05 20261121T063000Z-8f3a1c 2 of 10');
});

test('several documents are numbered where the template does not do it', () => {
  assert.is(documentTitle('{profile}', facts), 'invoices (2/10)');
  // Paperless-ngx cuts off what is longer.
  assert.is(documentTitle('x'.repeat(200), facts), `${'x'.repeat(120)} (2/10)`);
});

test('what tells documents apart needs no number, if there is something in its place', () => {
  assert.is(documentTitle('{n} of {count}', facts), '2 of 10');
  assert.is(documentTitle('Mail {asn}', { ...facts, serial_number: 17 }), 'Mail 17');
  assert.is(documentTitle('Mail {asn}', facts), 'Mail (2/10)');
  assert.is(documentTitle('{first_line}', { ...facts, first_line: 'Dear Sir,' }), 'Dear Sir,');
});

test('a title is never empty, and has nothing of the recognised text that titles cannot hold', () => {
  assert.is(documentTitle('{first_line}', facts), 'invoices 2026-11-01 07:05 (2/10)');
  const found = { ...facts, first_line: 'a\u0000b\uD800\t {scan_id}' };
  assert.is(documentTitle('{first_line}', found), 'a b {scan_id}');
});

test('a title is never longer than Paperless-ngx keeps', () => {
  const title = documentTitle('{profile}'.repeat(20), { ...facts, count: 1 });
  assert.is(title, 'invoices'.repeat(16).slice(0, 127));
});

test('a misspelled placeholder is told with those there are', () => {
  assert.match(
    titlePlaceholderError('{datum}') ?? '',
    /\{datum\}: it must be one of \{profile\} \{date\}/,
  );
  assert.match(titlePlaceholderError('{}') ?? '', /unknown placeholder \{\}/);
});
