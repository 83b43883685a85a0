import { NOT_IN_TITLES } from '../../../helpers/processor-contract.ts';
import { METADATA_RULES } from '../../../service/paperless/metadata-schema.ts';
import { safeTitle } from '../../../service/paperless/upload/title.ts';
import { assert, suite } from '../../support/suite.ts';
import { BLANK, codes, pagesOf, planOf, SEPARATOR, type Side, TEXT } from './stack.ts';

const test = suite('what codes say about documents');

const SEPARATED = { page_grouping: 'separator', barcodes: { metadata: true } };

const separator = (...texts: string[]): Side => codes('PATCHT', ...texts);

/** The metadata of the documents of a stack, and the warnings about it. */
function read(
  assembly: object,
  sheets: Side[][],
): { metadata: unknown[]; warnings: readonly string[] } {
  const { documents, warnings } = planOf(assembly, sheets);
  return { metadata: documents.map(({ metadata }) => metadata), warnings };
}

const NUMBERS: [text: string, number: number | undefined][] = [
  ['ASN00123', 123],
  ['ASN 000123', 123],
  ['ASN-123', 123],
  ['ASN: 123 ', 123],
  ['ASN0', 0],
  ['ASN4294967295', 4_294_967_295],
  ['ASN4294967296', undefined],
  ['ASN99999999999999999999', undefined],
  ['ASN', undefined],
  ['ASNXYZ', undefined],
  ['ASN12.5', undefined],
  ['ASN-DE-2026-0017', undefined],
];

for (const [text, number] of NUMBERS) {
  test(`${JSON.stringify(text)} ${number === undefined ? 'is ignored with a warning' : `is the serial number ${number}`}`, () => {
    const { metadata, warnings } = read({ barcodes: {} }, [[codes(text)]]);
    assert.equal(metadata, [number === undefined ? {} : { archive_serial_number: number }]);
    assert.equal(
      warnings,
      number === undefined
        ? [
            `Page 1: the code "${text.trim()}" is not a serial number from 0 to 4294967295. It is ignored.`,
          ]
        : [],
    );
  });
}

test('other codes, and serial numbers where no codes are read, mean nothing', () => {
  assert.equal(read({ barcodes: {} }, [[codes('asn5', 'https://a.example/ASN5', '')]]), {
    metadata: [{}],
    warnings: [],
  });
  assert.equal(read({}, [[codes('ASN5')]]), { metadata: [{}], warnings: [] });
});

test('a document has one serial number, the first; others on it are reported', () => {
  const { metadata, warnings } = read({ barcodes: {} }, [
    [codes('ASN5', 'ASN6')],
    [codes('ASN5', 'ASN7')],
  ]);
  assert.equal(metadata, [{ archive_serial_number: 5 }]);
  assert.equal(warnings, [
    'Page 1: the code "ASN6" is not used, because the document has the serial number 5.',
    'Page 2: the code "ASN7" is not used, because the document has the serial number 5.',
  ]);
});

test('a number that an earlier document of the stack has is left out with a warning', () => {
  const sheets = [[codes('ASN5')], [SEPARATOR], [codes('ASN5')], [codes('ASN6')]];
  const { metadata, warnings } = read(SEPARATED, sheets);
  assert.equal(metadata, [{ archive_serial_number: 5 }, {}, { archive_serial_number: 6 }]);
  assert.match(
    warnings.join(),
    /begins with page 3 has the same serial number as an earlier one, 5\./,
  );
});

test('the codes of a separator set fields of the document that follows, whichever side they are on', () => {
  const { metadata, warnings } = read(SEPARATED, [
    [TEXT],
    [
      separator('TAG:3, tax,3', 'title: A contract {n} \r\nTYPE:Letter\nCORRESPONDENT:Bank'),
      codes('Tag:9'),
    ],
    [TEXT, BLANK],
    [SEPARATOR],
    [TEXT],
  ]);
  assert.equal(metadata, [
    {},
    {
      tags: ['3', 'tax', '9'],
      title: 'A contract {n}',
      document_type: 'Letter',
      correspondent: 'Bank',
    },
    {},
  ]);
  assert.equal(warnings, []);
});

test('separators in a row add up, and the last one counts where they differ', () => {
  const { metadata } = read(SEPARATED, [
    [separator('TAG:3\nTITLE:a')],
    [separator('TAG:4\nTITLE:b')],
    [TEXT],
  ]);
  assert.equal(metadata, [{ tags: ['3', '4'], title: 'b' }]);
});

test('metadata is reported where it cannot be used: not allowed, or no page follows', () => {
  const sheets = [[separator('TAG:3')], [TEXT]];
  const refused = read({ page_grouping: 'separator' }, sheets);
  assert.equal(refused.metadata, [{}]);
  assert.match(
    refused.warnings.join(),
    /^Page 1: the code "TAG:3" is not used\. .*metadata is false\.$/,
  );
  const last = read(SEPARATED, [[TEXT], [separator('TAG:3')]]);
  assert.equal(last.warnings, [
    'Page 2: no page follows this separator. What its codes say is not used.',
  ]);
});

test('a field that cannot be used is reported with what it must be, and the others count', () => {
  const long = 'x'.repeat(129);
  const { metadata, warnings } = read(SEPARATED, [
    [separator(`TAG:ok,${long}`, `TYPE:\nCORRESPONDENT:${long}\nTITLE:Good`)],
    [TEXT],
  ]);
  assert.equal(metadata, [{ title: 'Good' }]);
  const shown = (text: string): string => `Page 1: the code "${text}" is not used: it must be `;
  assert.equal(warnings, [
    `${shown(`TAG:ok,${'x'.repeat(33)}…`)}at most 100 tags, each a name of 1 to 128 characters.`,
    `${shown('TYPE:')}a name of 1 to 128 characters.`,
    `${shown(`CORRESPONDENT:${'x'.repeat(26)}…`)}a name of 1 to 128 characters.`,
  ]);
});

test('codes of other pages never set fields', () => {
  assert.equal(read(SEPARATED, [[codes('TAG:3', 'TITLE:x')]]), { metadata: [{}], warnings: [] });
});

/** What a code may begin with, so that what follows gets somewhere. */
const PREFIXES = ['', 'PATCHT', 'ASN', 'TAG:', 'TITLE:', 'TYPE:', 'CORRESPONDENT:', 'title:TITLE:'];

const PAYLOADS = [
  '',
  ' ',
  '\0',
  '\u0007\u001B[2J\u001B]0;x\u0007',
  '\r\n\r\nX-Evil: 1',
  'a\nTAG:9\nTITLE:b\nASN1',
  '\t\v\f\u0085\u2028\u2029',
  'x'.repeat(4096),
  '9'.repeat(4096),
  ','.repeat(4096),
  '1,'.repeat(2048),
  '../../../etc/passwd',
  String.raw`..\..\windows\system32`,
  '/dev/null',
  '{{ 7*7 }}{% for x in y %}{# c #}',
  '{% include "x" %}',
  '{n} {count} {scan_id} {asn} {first_line}',
  '${process.env.HOME} $(id) `id`',
  '<script>alert(1)</script><img src=x onerror=alert(1)>',
  '"><svg/onload=1>',
  "'; DROP TABLE documents; --",
  '__proto__',
  'constructor',
  '👩‍👩‍👧‍👦🏴‍☠️'.repeat(40),
  '\u202Egnp.exe\u202C\u200B\uFEFF',
  '\uD800',
  '\uDFFF\uD800',
  '\uFFFE\uFFFF',
];

const TEXTS = PREFIXES.flatMap((prefix) => PAYLOADS.map((payload) => prefix + payload));

test(`${TEXTS.length} of them end as warnings or as literal text, and no page is lost`, () => {
  assert.ok(TEXTS.length >= 200);
  for (const text of TEXTS) {
    const plan = planOf({ page_grouping: 'separator', barcodes: { metadata: true } }, [
      [TEXT],
      [codes('PATCHT', text)],
      [codes(text)],
    ]);
    const what = JSON.stringify(text.slice(0, 60));
    const dropped = plan.dropped_pages.map(({ page }) => page);
    assert.equal(new Set([...pagesOf(plan).flat(), ...dropped]), new Set([1, 2, 3]), what);
    assert.is(pagesOf(plan).flat().length + dropped.length, 3, what);
    for (const { metadata, title } of plan.documents) {
      for (const [field, value] of Object.entries(metadata)) {
        const { error } = METADATA_RULES[field as keyof typeof metadata].validate(value);
        assert.is(error, undefined, `${field} of ${what}`);
      }
      assert.not.match(title, NOT_IN_TITLES, what);
      assert.not.match(safeTitle(title) ?? '', /\{[{%#]|[}%#]\}/, what);
      if (metadata.title !== undefined) assert.ok(text.includes(metadata.title), what);
    }
    for (const warning of plan.warnings) {
      assert.ok(warning.length < 300, `${what}: ${warning.length}`);
      assert.not.match(warning, /[\p{C}\u2028\u2029]/u, what);
    }
  }
});
