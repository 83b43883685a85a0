import type { FailureFacts } from '../../../helpers/failure.ts';
import type { PageSize } from '../../../helpers/ipc/messages.ts';
import { describeDevice } from '../../../helpers/scanner/device-description.ts';
import { parseOptions } from '../../../helpers/scanner/option-lines.ts';
import { MM_PER_INCH, nearestPaper, PAGE_SIZES } from '../../../helpers/paper.ts';
import { suggestedProfile } from '../../../service/profiles/suggested-profile.ts';
import { assertOutcome } from '../../support/fake-scanimage/assert-outcome.ts';
import { createFakeBench, type FakeBench } from '../../support/fake-scanimage/fake-bench.ts';
import { assert, suite } from '../../support/suite.ts';
import { REPORTED_DEVICES, type ReportedDevice } from './reported-devices.ts';

type Name = keyof typeof REPORTED_DEVICES;

const DPI = 100;
const A4: PageSize = { width_mm: 210, height_mm: 297 };
const LETTER: PageSize = { width_mm: 215.9, height_mm: 279.4 };

async function withDevice(
  name: Name,
  page: PageSize,
  use: (bench: FakeBench) => Promise<void>,
): Promise<void> {
  const [width, height] = [page.width_mm, page.height_mm].map((mm) =>
    Math.round((mm / MM_PER_INCH) * DPI),
  );
  const bench = await createFakeBench({
    options: REPORTED_DEVICES[name],
    scan: 'prompt 1; page 1; prompt 2; page 2; prompt 3',
    page: { width: width ?? 0, height: height ?? 0 },
  });
  try {
    await use(bench);
  } finally {
    await bench.close();
  }
}

const test = suite('paper larger than the scanner');

const [CUT, TO] = [
  { width_mm: 210, height_mm: 292.1 },
  { width_mm: 210, height_mm: 279.4 },
];

/**
 * The device, the requested paper, the page that arrives, and the area passed to scanimage. The
 * outcome is in the title.
 */
const SCANS: Readonly<Record<string, readonly [Name, PageSize, PageSize, area?: string]>> = {
  'a few millimetres: → 2 pages: The scanner ends before the paper: 210 x 292.1 mm of 210 x 297 mm were scanned. Check that nothing is missing at the edges.':
    ['HP5590', A4, CUT, '-x 210 -y 292.1 '],
  'across as well: → 2 pages: The scanner ends before the paper: 210 x 279.4 mm of 215.9 x 279.4 mm…':
    ['NARROW', LETTER, TO, '-x 210 -y 279.4 '],
  'nothing, as it fits: → 2 pages': ['HP5590', LETTER, LETTER, '-x 215.9 -y 279.4 '],
  'half a millimetre, which is rounding: → 2 pages': [
    'NARROW',
    { width_mm: 210.4, height_mm: 297 },
    A4,
    '-x 210.4 -y 297 ',
  ],
  'more, to one page of the next format: → scan_option_rejected after 0 pages: …215.9 x 279.4 mm: set page_size: letter.…':
    ['LETTER', A4, A4],
  'much more: → scan_option_rejected after 0 pages: …200 x 200 mm: set page_size: {width_mm: 200, height_mm: 200}.…':
    ['SMALL', A4, A4],
  'unknown, and the page is whole: → 2 pages': ['CANON_PIXMA', A4, A4, ''],
  'unknown, and the page is another: → 2 pages: Pages 1, 2 measure 215.9 x 297.2 mm instead of 210 x 297 mm, because the driver lists a scanning area that no page fits into…eSCL…':
    ['CANON_PIXMA', A4, { width_mm: 215.9, height_mm: 297.2 }, ''],
  'unknown, and the page is next to nothing: → scanner_error after 1 page: …measures 3 x 4.1 mm instead of 210 x 297 mm. The driver of the scanner lists a scanning area that no page fits into…airscan:escl:…':
    ['CANON_PIXMA', A4, { width_mm: 3, height_mm: 4 }, ''],
};
for (const [title, [name, page_size, came, area]] of Object.entries(SCANS)) {
  test(`${name}, ${title}`, () =>
    withDevice(name, came, async (bench) => {
      await assertOutcome(title, bench.scan(await bench.request({ page_size, source: undefined })));
      const calls = (await bench.readFile('calls')).split('\n');
      const scan = calls.find((call) => call.includes('--batch=')) ?? '';
      assert.is(scan !== '', area !== undefined);
      assert.is(/-x .*(?=--format)/u.exec(scan)?.[0] ?? '', area ?? '');
    }));
}

const offering = suite('paper sizes offered for a scanner');

const OFFERS: readonly (readonly [Name, suggested: string, unusable?: boolean])[] = [
  ['HP5590', 'page_size: a4\n'],
  ['LETTER', 'page_size: letter\n'],
  ['SMALL', 'page_size:\n  width_mm: 200\n  height_mm: 200\n'],
  ['CANON_PIXMA', 'page_size: a4\n', true],
];
for (const [name, suggested, isUnusable] of OFFERS) {
  offering(`${name}: ${suggested}`, () => {
    const { '': printed = '' }: ReportedDevice = REPORTED_DEVICES[name];
    const found = describeDevice('a:b', parseOptions(printed));
    assert.is(found.area_unusable, isUnusable);
    assert.is(found.max_page === undefined, isUnusable === true);
    const sources = [{ ...found, source: 'ADF', max_page: found.max_page ?? null }];
    assert.match(suggestedProfile({ name: 'a:b', sources }, undefined) ?? '', suggested);
  });
}

const NEAREST: readonly (readonly [string, PageSize, string | FailureFacts])[] = [
  ['a3', { width_mm: 215.9, height_mm: 297.2 }, 'a4'],
  ['a4', LETTER, 'letter'],
  ['a4', { width_mm: 105.4, height_mm: 148 }, 'a6'],
  ['legal', { width_mm: 216, height_mm: 297 }, 'a4'],
  ['a4', { width_mm: 200.7, height_mm: 199.5 }, { width_mm: 200, height_mm: 199 }],
  // A sheet-fed scanner accepts long strips, so the most similar standard size is chosen.
  ['a3', { width_mm: 224.8, height_mm: 2750 }, 'legal'],
];
for (const [name, largest, expected] of NEAREST) {
  offering(`in place of ${name} on ${largest.width_mm} x ${largest.height_mm} mm`, () => {
    assert.equal(nearestPaper(PAGE_SIZES.get(name) ?? A4, largest), expected);
  });
}
