import type { ScanRecord } from '../../../service/archive/scan-record.ts';
import {
  serialNumberWarnings,
  titleOf,
  type TitledDocument,
} from '../../../service/documents/document-titles.ts';
import { planDocuments } from '../../../service/documents/plan-documents.ts';
import { assert, suite } from '../../support/suite.ts';
import { stack, TEXT } from './stack.ts';

const test = suite('titles of documents');

/** A scan that has just begun, on 2026-11-21, with one page. */
function scan(title: string, request: object = {}): ScanRecord {
  return stack({ title }, [[{ first_line: 'Dear Sir,' }]], request);
}

function placed(number: number, count: number, metadata = {}): TitledDocument {
  return { number, count, pages: [1], metadata };
}

test('follow the template of the profile', () => {
  assert.is(titleOf(scan('{profile} {date}'), placed(1, 1)), 'default 2026-11-21');
  assert.is(titleOf(scan('{profile} {number}/{count}'), placed(2, 3)), 'default 2/3');
});

test('know the first line of the first page, and the serial number of paper or request', () => {
  const template = '{asn} {first_line}';
  const number = { archive_serial_number: 5 };
  assert.is(titleOf(scan(template), placed(1, 1, number)), '5 Dear Sir,');
  assert.is(
    titleOf(scan(template, { archive_serial_number: 6 }), placed(1, 1, number)),
    '6 Dear Sir,',
  );
});

test('are what the request says, numbered where it would name several', () => {
  const asked = scan('{profile}', { title: 'Tea {date}' });
  assert.is(titleOf(asked, placed(1, 1)), 'Tea {date}');
  assert.is(titleOf(asked, placed(2, 3)), 'Tea {date} (2/3)');
});

test('are that of the request before that on the paper, and that before the templates', () => {
  const onPaper = placed(1, 1, { title: 'On paper {n}' });
  const destination = { title: 'There {n}' };
  assert.is(titleOf(scan('{profile}', { title: 'Asked' }), onPaper, destination), 'Asked');
  assert.is(titleOf(scan('{profile}'), onPaper, destination), 'On paper {n}');
  assert.is(titleOf(scan('{profile}'), placed(1, 1), destination), 'There 1');
});

test('that name the serial number are warned of where no codes are read and the request has none', () => {
  const here = { title: 'Contract {asn}' };
  const there = { destinations: [{ kind: 'dms', base_url: 'http://a', title: '{asn}', tags: [] }] };
  for (const [profile, request, count] of [
    [here, {}, 1],
    [there, {}, 1],
    [here, { archive_serial_number: 0 }, 0],
    [here, { title: 'Tea' }, 0],
    [{ ...here, assembly: { barcodes: {} } }, {}, 0],
    [{ title: 'Contract' }, {}, 0],
  ] as const) {
    const { warnings } = planDocuments(stack(profile, [[TEXT]], request));
    assert.is(warnings.length, count, JSON.stringify([profile, request]));
  }
  assert.match(
    serialNumberWarnings(scan('{asn}')).join(),
    /^The title names a serial number.*assembly\.barcodes/,
  );
});
