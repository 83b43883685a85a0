import type { PageArea, PageFacts } from '../../../helpers/page-facts.ts';
import { NOT_IN_TITLES, type PageOptions } from '../../../helpers/processor-contract.ts';
import { fold } from '../../../service/archive/fold.ts';
import type { PageEdit } from '../../../service/archive/scan-event.ts';
import type { RecordedPage, ScanRecord } from '../../../service/archive/scan-record.ts';
import { titleOf, type TitledDocument } from '../../../service/archive/document-title.ts';
import { serialNumberWarnings } from '../../../service/documents/document-titles.ts';
import { viewOf } from '../../../service/archive/scan-view.ts';
import { turnsToFollow } from '../../../service/documents/follow-turns.ts';
import { isUpToDate, pageOptions } from '../../../service/documents/page-options.ts';
import { planDocuments } from '../../../service/documents/plan-documents.ts';
import { METADATA_RULES } from '../../../service/paperless/metadata-schema.ts';
import { safeTitle } from '../../../service/paperless/upload/title.ts';
import { PAGE_FACTS } from '../../support/page-facts.ts';
import { assert, suite } from '../../support/suite.ts';
import { testProfile } from '../../support/test-profile.ts';
import {
  BLANK,
  codes,
  droppedOf,
  inShort,
  pagesOf,
  planOf,
  SEPARATOR,
  type Side,
  stack,
  TEXT,
} from './stack.ts';

const grouping = suite('grouping pages into documents');

/** What is on a side: text, nothing, a separator (`s` with a serial number), or another code. */
const SIDES: Readonly<Record<string, Side>> = {
  T: TEXT,
  B: BLANK,
  S: SEPARATOR,
  s: codes('PATCHT', 'ASN5'),
  5: codes('ASN5'),
  6: codes('ASN 6'),
  X: codes('ASNX'),
  N: codes('NEXT'),
  n: codes('PATCHT2'),
  p: codes('patcht'),
};

/** Sheets in the form `TB T`: the first has text on its front only; the second has no back. */
function sheetsOf(letters: string): Side[][] {
  return letters.split(' ').map((sheet) => Array.from(sheet, (letter) => SIDES[letter] ?? {}));
}

const TEXTS_OF_PROFILE = { barcodes: { separator: ['CUT', 'NEXT'] } };

/** Sheets, pages of each document, and further profile fields. */
const GROUPED: [by: string, what: string, sheets: string, documents: string, more?: object][] = [
  ['combined', 'the whole stack', 'TT TT T', '1 2 3 4 5'],
  ['combined', 'not divided by codes', 'T S 6', '1 2 3', { barcodes: {} }],
  ['per_page', 'each side', 'TT TT T', '1 | 2 | 3 | 4 | 5'],
  ['per_sheet', 'both sides of each sheet', 'TT TT T', '1 2 | 3 4 | 5'],
  ['per_sheet', 'scanned on one side', 'T T', '1 | 2'],
  ['per_sheet', 'no blank sheet', 'TT BB TT', '1 2 | 5 6', { remove_blank_pages: 'all' }],
  ['separator', 'both sides of the sheet are left out', 'TT ST TT TT', '1 2 | 5 6 7 8'],
  ['separator', 'the code may be on the back', 'TT BS TT', '1 2 | 5 6'],
  ['separator', 'first, last and doubled ones make no empty document', 'S T S S T S', '2 | 5'],
  ['separator', 'texts of the profile', 'T N T S', '1 | 3 4', TEXTS_OF_PROFILE],
  ['separator', 'a text that only begins like one is none', 'T n p', '1 2 3'],
  ['separator', 'a serial number begins one, with its sheet', 'TT T5 TT 6T', '1 2 | 3 4 5 6 | 7 8'],
  ['separator', 'the same number again does not, nor one that is none', '5 5 X', '1 2 3'],
  ['separator', 'nor the serial number of the separator in front', 's T 5 6', '2 3 | 4'],
  ['blank_page', 'a blank sheet divides, a blank back does not', 'TB BB TT B', '1 2 | 5 6'],
  ['blank_page', 'with backs', 'TB BB BT', '1 | 5 6', { remove_blank_pages: 'backs' }],
];

for (const [page_grouping, what, sheets, documents, more] of GROUPED) {
  grouping(`${page_grouping}: ${what}`, () => {
    assert.is(inShort(pagesOf(planOf({ page_grouping, ...more }, sheetsOf(sheets)))), documents);
  });
}

for (const [remove_blank_pages, dropped] of [
  ['none', ''],
  ['backs', '2 blank'],
  ['all', '2 blank, 3 blank, 5 blank'],
] as const) {
  grouping(`with remove_blank_pages ${remove_blank_pages}: "${dropped}"`, () => {
    const plan = planOf({ remove_blank_pages }, sheetsOf('TB BT B'));
    assert.is(droppedOf(plan), dropped);
  });
}

grouping(
  'a blank page is dropped with its score; a nearly blank one is kept with a warning',
  () => {
    const near = { ...BLANK, blank: { score: 1.04, mark: null } };
    const sheets = [[TEXT], [BLANK], [near], [{ ...BLANK, blank: null }]];
    const plan = planOf({ remove_blank_pages: 'all' }, sheets);
    assert.equal(plan.dropped_pages, [{ page: 2, reason: 'blank', score: 0.02 }]);
    assert.equal(plan.warnings, ['Page 3 is nearly blank (score 1.04). It was kept.']);
    assert.equal(planOf({ remove_blank_pages: 'backs' }, [[near]]).warnings, []);
  },
);

const DONE: Readonly<Record<string, PageEdit>> = {
  out: { left_out: true },
  in: { left_out: false },
  starts: { starts_document: true },
  joins: { starts_document: false },
  last: { before: null },
};

/**
 * Applies edits such as `5 out, 1 before 2`. Returns the pages per document, then the pages in
 * none.
 */
function edited(page_grouping: string, edits: string, sheets: string): string {
  const all = edits === '' ? [] : edits.split(', ');
  const record = all.reduce(
    (before, one) => {
      const [page, word = '', other] = one.split(' ');
      const edit = DONE[word] ?? { before: Number(other) };
      return fold(before, { type: 'edited', at: before.started_at, page: Number(page), ...edit });
    },
    stack({ assembly: { page_grouping } }, sheetsOf(sheets)),
  );
  const plan = planDocuments(record);
  return `${inShort(pagesOf(plan))}; ${droppedOf(plan)}`;
}

const OUT = '1 out, 2 out, 3 out, 4 out, 5 out';
const ALL = '1 person, 2 person, 3 person, 4 person, 5 person';

const EDITED: [by: string, edits: string, becomes: string, sheets?: string][] = [
  ['combined', '2 out', '1 3 4 5; 2 person'],
  ['combined', '2 out, 2 in', '1 2 3 4 5; '],
  ['per_page', '2 out', '1 | 3 | 4 | 5; 2 person'],
  ['per_sheet', '5 out', '1 2 | 3 4; 5 person'],
  ['combined', '5 before 1', '5 1 2 3 4; '],
  ['combined', '1 last, 1 before 2', '1 2 3 4 5; '],
  ['combined', '4 before 2, 5 before 4', '1 5 4 2 3; '],
  ['per_sheet', '2 last', '1 | 3 4 | 5 | 2; '],
  ['combined', '3 starts', '1 2 | 3 4 5; '],
  ['per_sheet', '2 starts', '1 | 2 | 3 4 | 5; '],
  ['blank_page', '4 starts', '1 2 3 | 4 5; '],
  ['separator', '3 starts', '1 2 | 3 4 5; '],
  ['combined', '1 starts', '1 2 3 4 5; '],
  ['per_page', '3 starts', '1 | 2 | 3 | 4 | 5; '],
  ['combined', '3 starts, 3 out', '1 2 | 4 5; 3 person'],
  ['combined', '3 starts, 3 joins', '1 2 3 4 5; '],
  ['combined', OUT, `; ${ALL}`],
  // A separator that a person left out still separates.
  ['separator', '2 out', '1 | 4; 2 person, 3 separator', 'T ST T'],
  ['blank_page', '2 out', '1 | 4; 2 person, 3 blank', 'T BB T'],
  // The blank side of a sheet with text never separates, even if the other side was moved.
  ['blank_page', '3 before 1', '3 1 2 4 5 6; ', 'TT TB TT'],
  ['blank_page', '3 before 1', '1 | 4; 3 blank, 2 blank', 'T BB T'],
  // The serial number of an omitted page does not start a document.
  ['separator', '2 out', '1 3; 2 person', 'T 5 T'],
  ['separator', '', '1 | 2 3; ', 'T 5 T'],
];

for (const [by, edits, becomes, sheets = 'TT TT T'] of EDITED) {
  grouping(`${by}, edited by "${edits}": ${becomes}`, () => {
    assert.is(edited(by, edits, sheets), becomes);
  });
}

const code = suite('metadata from codes');

const SEPARATED = { page_grouping: 'separator', barcodes: { metadata: true } };

const separator = (...texts: string[]): Side => codes('PATCHT', ...texts);

function read(
  assembly: object,
  ...sheets: Side[][]
): { metadata: unknown[]; warnings: readonly string[] } {
  const { documents, warnings } = planOf(assembly, sheets);
  return { metadata: documents.map(({ metadata }) => metadata), warnings };
}

for (const [text, number] of [
  ['ASN00123', 123],
  ['ASN 000123', 123],
  ['ASN-123', 123],
  ['ASN: 123 ', 123],
  ['ASN0', 0],
  ['ASN4294967295', 4_294_967_295],
] as const) {
  code(`${JSON.stringify(text)} is the serial number ${number}`, () => {
    const expected = { metadata: [{ archive_serial_number: number }], warnings: [] };
    assert.equal(read({ barcodes: {} }, [codes(text)]), expected);
  });
}

const NO_NUMBERS = 'ASN4294967296 ASN99999999999999999999 ASN ASNXYZ ASN12.5 ASN-DE-2026-0017';

for (const text of NO_NUMBERS.split(' ')) {
  code(`${text} is ignored with a warning`, () => {
    const warning = `Page 1: the code "${text}" is not a serial number from 0 to 4294967295. It is ignored.`;
    const expected = { metadata: [{}], warnings: [warning] };
    assert.equal(read({ barcodes: {} }, [codes(text)]), expected);
  });
}

code('other codes, disabled ones, and metadata not on a separator are ignored', () => {
  const nothing = { metadata: [{}], warnings: [] };
  const other = codes('asn5', 'https://a.example/ASN5', '');
  assert.equal(read({ barcodes: {} }, [other]), nothing);
  assert.equal(read({}, [codes('ASN5')]), nothing);
  assert.equal(read(SEPARATED, [codes('TAG:3', 'TITLE:x')]), nothing);
});

code('the first serial number of a document counts; others are reported', () => {
  const sheets = [[codes('ASN5', 'ASN6')], [codes('ASN5', 'ASN7')]];
  const { metadata, warnings } = read({ barcodes: {} }, ...sheets);
  assert.equal(metadata, [{ archive_serial_number: 5 }]);
  assert.equal(warnings, [
    'Page 1: the code "ASN6" is not used, because the document has the serial number 5.',
    'Page 2: the code "ASN7" is not used, because the document has the serial number 5.',
  ]);
});

code('a number already used by an earlier document is omitted with a warning', () => {
  const { metadata, warnings } = read(SEPARATED, ...sheetsOf('5 S 5 6'));
  assert.equal(metadata, [{ archive_serial_number: 5 }, {}, { archive_serial_number: 6 }]);
  const said = /begins with page 3 has the same serial number as an earlier one, 5\./;
  assert.match(warnings.join(), said);
});

code('a separator sets fields of the next document, from either side', () => {
  const front = separator(
    'TAG:3, tax,3',
    'title: A contract {n} \r\nTYPE:Letter\nCORRESPONDENT:Bank',
  );
  const read1 = read(SEPARATED, [TEXT], [front, codes('Tag:9')], ...sheetsOf('TB S T'));
  const fields = {
    tags: ['3', 'tax', '9'],
    title: 'A contract {n}',
    document_type: 'Letter',
    correspondent: 'Bank',
  };
  assert.equal(read1, { metadata: [{}, fields, {}], warnings: [] });
});

code('consecutive separators are combined, and the last one wins', () => {
  const row = [[separator('TAG:3\nTITLE:a')], [separator('TAG:4\nTITLE:b')], [TEXT]];
  assert.equal(read(SEPARATED, ...row).metadata, [{ tags: ['3', '4'], title: 'b' }]);
});

code('metadata that cannot be used is reported: not allowed, or no page follows', () => {
  const refused = read({ page_grouping: 'separator' }, [separator('TAG:3')], [TEXT]);
  assert.equal(refused.metadata, [{}]);
  const said = /^Page 1: the code "TAG:3" is not used\. .*metadata is false\.$/;
  assert.match(refused.warnings.join(), said);
  assert.equal(read(SEPARATED, [TEXT], [separator('TAG:3')]).warnings, [
    'Page 2: no page follows this separator. What its codes say is not used.',
  ]);
});

code('an invalid field is reported with its requirement, and the others count', () => {
  const long = 'x'.repeat(129);
  const wrong = separator(`TAG:ok,${long}`, `TYPE:\nCORRESPONDENT:${long}\nTITLE:Good`);
  const { metadata, warnings } = read(SEPARATED, [wrong], [TEXT]);
  assert.equal(metadata, [{ title: 'Good' }]);
  const shown = (text: string): string => `Page 1: the code "${text}" is not used: it must be `;
  assert.equal(warnings, [
    `${shown(`TAG:ok,${'x'.repeat(33)}…`)}at most 100 tags, each a name of 1 to 128 characters.`,
    `${shown('TYPE:')}a name of 1 to 128 characters.`,
    `${shown(`CORRESPONDENT:${'x'.repeat(26)}…`)}a name of 1 to 128 characters.`,
  ]);
});

/** Valid beginnings of a code, so that the random rest reaches the parser. */
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

code(`${TEXTS.length} of them become warnings or literal text, and no page is lost`, () => {
  assert.ok(TEXTS.length >= 200);
  for (const text of TEXTS) {
    const plan = planOf(SEPARATED, [[TEXT], [codes('PATCHT', text)], [codes(text)]]);
    const what = JSON.stringify(text.slice(0, 60));
    const found = [...pagesOf(plan).flat(), ...plan.dropped_pages.map(({ page }) => page)];
    assert.equal(
      found.toSorted((a, b) => a - b),
      [1, 2, 3],
      what,
    );
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

const titles = suite('titles of documents');

function scan(title: string, request: object = {}): ScanRecord {
  return stack({ title }, [[{ first_line: 'Dear Sir,' }]], request);
}

function placed(number: number, count: number, metadata = {}): TitledDocument {
  return { number, count, pages: [1], metadata };
}

const ON_PAPER = { title: 'On paper {n}' };
const ASN5 = { archive_serial_number: 5 };
const ASN6 = { archive_serial_number: 6 };

const THERE = { title: 'There {n}' };
const CODED = '{asn} {first_line}';
const TEA = { title: 'Tea {date}' };
const [ONE, TWO_OF_THREE, NUMBERED] = [placed(1, 1), placed(2, 3), placed(1, 1, ASN5)];

/** A scan of a template and a request, the position of a document in it, and its expected title. */
const TITLES: [what: string, ScanRecord, TitledDocument, title: string, destination?: object][] = [
  ['follow the template', scan('{profile} {date}'), ONE, 'default 2026-11-21'],
  ['may name their place', scan('{profile} {number}/{count}'), TWO_OF_THREE, 'default 2/3'],
  ['know what the paper says', scan(CODED), NUMBERED, '5 Dear Sir,'],
  ['know the number of the request', scan(CODED, ASN6), NUMBERED, '6 Dear Sir,'],
  ['are as asked for', scan('{profile}', TEA), ONE, 'Tea {date}'],
  ['are numbered', scan('{profile}', TEA), TWO_OF_THREE, 'Tea {date} (2/3)'],
  ['are first as asked', scan('{profile}', TEA), placed(1, 1, ON_PAPER), 'Tea {date}', THERE],
  ['are then as on paper', scan('{profile}'), placed(1, 1, ON_PAPER), 'On paper {n}', THERE],
  ['are then of the destination', scan('{profile}'), ONE, 'There 1', THERE],
];

for (const [what, record, document, title, destination] of TITLES) {
  titles(`${what}: ${title}`, () => assert.is(titleOf(record, document, destination), title));
}

titles('a scan has the title sent to Paperless-ngx, before and after filing', () => {
  const record = stack({ title: '{first_line}' }, [[{ first_line: '| Dear Sir |' }], [{}]]);
  const shown = viewOf(record, false).title;
  assert.is(shown, 'Dear Sir');
  assert.is(planDocuments(record).documents[0]?.title, shown);
  const asked = stack({ title: '{first_line}' }, [[{ first_line: 'Dear Sir' }]], { title: 'Tea' });
  assert.is(viewOf(asked, false).title, 'Tea');
  const without = stack({ title: '{first_line}', label: { en: 'Letters', de: 'Briefe' } }, [[{}]]);
  assert.is(viewOf(without, false).title, 'Letters 2026-11-21');
});

titles('with the serial number cause a warning if there is none', () => {
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
  const said = /^The title names a serial number.*assembly\.barcodes/;
  assert.match(serialNumberWarnings(scan('{asn}')).join(), said);
});

const pages = suite('warnings about pages');

const streaked = (...streaks: readonly number[]): Side => ({ ...TEXT, streaks });
const UNCUT: Side = { ...TEXT, cropped: false };
const CUT: Side = { ...TEXT, cropped: true };
const UNREAD: Side = { ...TEXT, words: 0, characters: 0, confidence: null, unread: true };

const streaks = (pages: string, places: string): string =>
  `Pages ${pages} have streaks from dirt on the scanner's glass. Wipe the glass ${places}.`;
const uncut = (subject: string): string =>
  `${subject} not cut to the paper: its edges cannot be told from the backing of the scanner. Set page_size to the size of the paper.`;
const unread = (where: string, it: string): string =>
  `No text was found on ${where} not blank. If ${it} should have text, scan the paper again with more contrast or resolution.`;

const missing = (where: PageArea): Side => ({ ...TEXT, missed: { percent: 30, where } });
const missed = (pages: string, where: string): string =>
  `On ${pages}, print ${where} was not read: a search will not find it. Look at the ${pages.startsWith('pages') ? 'pages' : 'page'}. Pictures, stamps and handwriting are not read; if print is missing, scan the paper again, flat and straight.`;

const LEFT = 'mm from the left edge';
const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);
const MANY = streaked(...upTo(12).map((at) => at * 10));
const TWO_PLACES = [streaked(120, 34), streaked(34, 90), streaked(120.6), streaked(150)];
const UNCUT_STACK = upTo(42).map((at) => (at % 2 === 1 ? UNCUT : CUT));

/** Fronts, and the only warning expected about them, if any. */
const FRONTS: [string, Side[], warning?: string][] = [
  [
    'streaks at one place: where',
    [streaked(34.2), TEXT, streaked(33.8)],
    streaks('1, 3', `at 34 ${LEFT}`),
  ],
  ['streaks at two places', TWO_PLACES, streaks('1-3', `at 34, 121 ${LEFT}`)],
  ['streaks at many places', [MANY, MANY], streaks('1, 2', `at 10, 20, 30, 40, 50, … ${LEFT}`)],
  ['streaks on one page', [streaked(34, 34.4), TEXT]],
  ['streaks at other places on each', [streaked(34), streaked(35.5)]],
  ['a page with ink and no text', [TEXT, UNREAD], unread('page 2, which is', 'it')],
  ['several of them', [TEXT, UNREAD, TEXT, UNREAD], unread('pages 2, 4, which are', 'they')],
  ['print that was not read', [TEXT, missing('right')], missed('page 2', 'at the right edge')],
  [
    'print that was not read on several pages',
    [missing('several'), TEXT, missing('several')],
    missed('pages 1, 3', 'in several places'),
  ],
  ['blank pages', [BLANK, { ...BLANK, blank: null }]],
  ['a page that could not be cut', [TEXT, UNCUT], uncut('Page 2 was')],
  ['several uncut ones', [UNCUT, CUT, UNCUT], uncut('Pages 1, 3 were')],
  ['uncut ones in a row', [UNCUT, UNCUT, CUT, UNCUT, UNCUT, UNCUT], uncut('Pages 1, 2, 4-6 were')],
  [
    'more than twenty uncut ones',
    UNCUT_STACK,
    uncut(
      `Pages ${upTo(20)
        .map((at) => at * 2 - 1)
        .join(', ')}, … were`,
    ),
  ],
  ['pages that were cut, or of which nothing was to be cut', [TEXT, CUT]],
];

for (const [what, fronts, warning] of FRONTS) {
  pages(what, () => {
    const sheets = fronts.map((page) => [page]);
    assert.equal(planOf({}, sheets).warnings, warning === undefined ? [] : [warning]);
  });
}

pages('streaks are counted per side if both sides are scanned at once', () => {
  const sheets = [
    [streaked(34), TEXT],
    [TEXT, streaked(34)],
  ];
  assert.equal(planOf({}, sheets).warnings, []);
  assert.equal(planOf({}, [...sheets, [TEXT, streaked(34)]]).warnings, [
    streaks('4, 6', `of the back side at 34 ${LEFT}`),
  ]);
});

pages('streaks are counted over all pages if the sides are fed separately', () => {
  const record = { ...stack({}, [[streaked(34), streaked(34)]]), duplex: false };
  assert.match(planDocuments(record).warnings.join(), /^Pages 1, 2 have .* from the left edge\.$/);
});

pages('streaks are counted on dropped pages, missing text is not', () => {
  const dirtyBlank: Side = { ...streaked(34), blank: { score: 0.02, mark: null } };
  const { warnings } = planOf({ remove_blank_pages: 'all' }, [[streaked(34)], [dirtyBlank]]);
  assert.match(warnings.join(), /^Pages 1, 2 have streaks/);
  const separated = planOf(SEPARATED, [[TEXT], [{ ...UNREAD, ...SEPARATOR }]]);
  assert.equal([separated.dropped_pages.length, separated.warnings], [1, []]);
});

pages('print that was not read is named by its place', () => {
  const { warnings } = planOf({}, [[missing('bottom')], [missing('top')], [missing('bottom')]]);
  assert.equal(warnings, [missed('page 2', 'at the top'), missed('pages 1, 3', 'at the bottom')]);
});

/** The resolution of a scan, and the end of the warning about its uncertain text. */
const UNCERTAIN: readonly (readonly [dpi: number, advice: RegExp])[] = [
  [300, /: 2 \(79 %\)\. .* Scan the paper again if the image is pale, blurred or askew; .*\.$/],
  [150, /: 2 \(79 %\)\. .* They were scanned at 150 dpi: scan the paper again at 300 dpi\.$/],
];
for (const [resolution, advice] of UNCERTAIN) {
  pages(`uncertain text of a scan of ${resolution} dpi comes with fitting advice`, () => {
    const sides = [80, 79.9].map((confidence): Side[] => [{ ...TEXT, confidence }]);
    const { warnings } = planDocuments(stack({ resolution }, sides));
    assert.is(warnings.length, 1, warnings.join());
    assert.match(warnings[0] ?? '', advice);
  });
}

pages('missing text is no warning if low_confidence is 0', () => {
  const record = stack({ processing: { low_confidence: 0 } }, [[UNREAD, missing('left')]]);
  assert.equal(planDocuments(record).warnings, []);
});

const turning = suite('pages with little text follow the rest of the scan');

const TELLING = { characters: 900, confidence: 94 };
const SPARSE = { characters: 12, confidence: 20 };
const EMPTY = { characters: 0, words: 0, confidence: null };
const UPSIDE_DOWN = { ...TELLING, turned: 180 };
const TURNED_SPARSE = { ...SPARSE, turned: 180 };
const LANDSCAPE = { ...TELLING, turned: 270 };
const UPRIGHT = { ...TELLING, turned: 0 };

type Given = Partial<PageFacts> & { back?: boolean };

const back = (facts: Given): Given => ({ ...facts, back: true });

function turnsOf(given: readonly Given[], processing: object = {}): string {
  const raw = { bytes: 1, modified_at: 1 };
  const found = given.map(({ back: isBack = false, ...facts }, index): RecordedPage => ({
    number: index + 1,
    sheet: index + 1,
    side: isBack ? 'back' : 'front',
    filename: `page-000${index + 1}.tif`,
    bytes: 1,
    recognized: { facts: { ...PAGE_FACTS, ...facts }, warnings: [], raw },
  }));
  const turns = turnsToFollow(found, testProfile({ name: 'a', processing }));
  return turns.map(([{ number }, turn]) => `${number}: ${turn}`).join(', ');
}

const NEARLY = { ...TELLING, turned: 178.6 };
const BACKS_TURNED = { rotate_backs: 180 };

const TURNS: [string, Given[], turns: string, processing?: object][] = [
  ['a stack that was put in upside down', [UPSIDE_DOWN, SPARSE, NEARLY, EMPTY], '2: 180, 4: 180'],
  ['a stack of landscape pages', [LANDSCAPE, { ...SPARSE, turned: 0.4 }], '2: 270'],
  ['an upright stack', [TELLING, SPARSE, EMPTY], ''],
  ['pages that do not agree', [UPSIDE_DOWN, TELLING, SPARSE], ''],
  ['a stack that says nothing', [SPARSE, EMPTY], ''],
  ['a page that was turned already', [UPSIDE_DOWN, TURNED_SPARSE], ''],
  ['a page that was left out', [UPSIDE_DOWN, { ...EMPTY, left_out: 'blank' }], ''],
  ['upside down backs', [TELLING, back(UPSIDE_DOWN), SPARSE, back(SPARSE)], '4: 180'],
  ['a back among backs that say nothing', [UPSIDE_DOWN, back(EMPTY)], '2: 180'],
  ['backs turned as a whole', [TELLING, back(UPSIDE_DOWN), back(TURNED_SPARSE)], '', BACKS_TURNED],
  ['upright backs', [TELLING, back(UPRIGHT), back(TURNED_SPARSE)], '3: 180', BACKS_TURNED],
  ['a profile that turns nothing', [UPSIDE_DOWN, SPARSE], '', { rotate_pages: false }],
];

for (const [what, given, expected, processing] of TURNS) {
  turning(what, () => assert.is(turnsOf(given, processing), expected));
}

const options = suite('page options sent to the processor');

function optionsOf(profile: object, side: 'front' | 'back' = 'front'): PageOptions {
  return pageOptions(testProfile({ name: 'a', ...profile }), { side });
}

const assemblyOf = (assembly: object, side?: 'back'): PageOptions => optionsOf({ assembly }, side);

const PLAIN = optionsOf({});
const BLANKS = assemblyOf({ remove_blank_pages: 'all' });
const CODES = assemblyOf({ page_grouping: 'separator' });
const BACKS = { remove_blank_pages: 'backs' };

options('only results that matter are requested', () => {
  for (const [{ examine, codes: isRead, separators, drop_blank }, expected] of [
    [PLAIN, [false, false, [], false]],
    [BLANKS, [true, false, [], true]],
    [CODES, [false, true, ['PATCHT'], false]],
    [assemblyOf({ page_grouping: 'blank_page' }), [true, false, [], false]],
    [assemblyOf({ barcodes: {} }), [false, true, [], false]],
    [assemblyOf(BACKS), [true, false, [], false]],
    [assemblyOf(BACKS, 'back'), [true, false, [], true]],
  ] as const)
    assert.equal([examine, isRead, separators, drop_blank], expected);
});

options('document options are not sent', () => {
  const pdf = optionsOf({ processing: { output_type: 'pdf' } });
  assert.not.ok(Object.keys(pdf).includes('output_type'));
  assert.equal(optionsOf({ processing: { low_confidence: 3 } }), PLAIN);
});

type Recognized = [options: PageOptions | undefined, left_out: PageFacts['left_out']];

/**
 * The options used for the stored result, the requested options, and whether the result is kept.
 */
const KEPT: [what: string, ...had: Recognized, wanted: PageOptions, isKept: boolean][] = [
  ['the same', PLAIN, null, PLAIN, true],
  ['an earlier version, which did not record its options', undefined, null, PLAIN, false],
  ['another language', PLAIN, null, optionsOf({ processing: { languages: ['deu'] } }), false],
  ['blank pages are to be found now', PLAIN, null, BLANKS, false],
  ['codes are to be read now', PLAIN, null, CODES, false],
  ['less is wanted than is known', BLANKS, null, PLAIN, true],
  ['it was blank, and is wanted now', BLANKS, 'blank', PLAIN, false],
  ['it is blank still', BLANKS, 'blank', BLANKS, true],
  ['it was a separator, and is a page now', CODES, 'separator', PLAIN, false],
  ['it is a separator still', CODES, 'separator', CODES, true],
];

for (const [what, had, left_out, wanted, isKept] of KEPT) {
  options(`a page is ${isKept ? 'kept' : 'recognized again'}: ${what}`, () => {
    const facts = { ...PAGE_FACTS, left_out };
    const raw = { bytes: 1, modified_at: 1 };
    assert.is(isUpToDate({ facts, options: had, raw, warnings: [] }, wanted), isKept);
  });
}
