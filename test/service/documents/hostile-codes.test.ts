import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { NOT_IN_TITLES } from '../../../helpers/processor-contract.ts';
import { METADATA_RULES } from '../../../service/paperless/metadata-schema.ts';
import { safeTitle } from '../../../service/paperless/upload/title.ts';
import { codes, pagesOf, planOf, TEXT } from './stack.ts';

const test = suite('codes with hostile contents');

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

test.run();
