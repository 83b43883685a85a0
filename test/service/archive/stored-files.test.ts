import { mkdir, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { openPlainFile } from '../../../helpers/plain-file.ts';
import { openScanFile } from '../../../service/archive/scan-file.ts';
import type { FinishedDocument, RecordedPage } from '../../../service/archive/scan-record.ts';
import {
  inSheetOrder,
  unmatchedSides,
  withBacksOnOwnSheets,
} from '../../../service/archive/sheets.ts';
import { brokenDocuments } from '../../../service/archive/stored-documents.ts';
import { compareStoredPages, type FedRecord } from '../../../service/archive/stored-pages.ts';
import { tiffFile } from '../../support/fake-scanimage/tiff-file.ts';
import { makePipe } from '../../support/make-pipe.ts';
import { sha256 } from '../../support/scan-parts.ts';
import { smallPdf } from '../../support/small-pdf.ts';
import { page } from '../../support/stored-scan.ts';
import { assert, failure, inDirectory, rejection, suite, within } from '../../support/suite.ts';
import { takeAllDescriptors } from '../../support/take-all-descriptors.ts';

type Change = (file: string) => Promise<unknown>;

const front = (number: number, sheet = number): RecordedPage => page(number, { sheet });
const back = (number: number, sheet: number): RecordedPage => page(number, { sheet, side: 'back' });
const FRONTS = [front(1), front(2), front(3)];
const numbersOf = (pages: readonly RecordedPage[]): number[] => pages.map(({ number }) => number);

const pages = inDirectory('pages on disk', async ({ file }) => {
  for (const name of ['page-0001.tif', 'page-0002.tif']) await writeFile(file(name), tiffFile());
});

function recorded(...known: readonly RecordedPage[]): FedRecord {
  const others = { duplex: undefined, backs: undefined, unmatched: false, rescan: undefined };
  return { pages: known, replacementCandidates: [], ...others };
}

pages('are as recorded if all are complete', async ({ directory }) => {
  const found = await compareStoredPages(directory, recorded(front(1), front(2)));
  assert.equal(found, { unrecorded: [], lost: [], warnings: [], last: 2 });
});

pages('that were not recorded are found in order, with their file sizes', async (on) => {
  for (const [known, missing] of [
    [[], [1, 2]],
    [[front(1)], [2]],
    [[front(2)], [1]],
  ] as const) {
    const { unrecorded, lost, last } = await compareStoredPages(on.directory, recorded(...known));
    assert.equal([numbersOf(unrecorded), lost, last], [missing, [], 2]);
    assert.ok(unrecorded.every(({ bytes }) => bytes === tiffFile().length));
  }
});

const SIMPLEX = recorded(front(1), front(2));
const DUPLEX = recorded(front(1), back(2, 1));
const BACKS: FedRecord = { ...SIMPLEX, duplex: false, backs: 'reverse' };
const LOST_BACKS = recorded(front(1), front(2, 5));

/** Sheet and side of the unrecorded third and fourth page, derived from the first two. */
const SIDES: [string, FedRecord, string][] = [
  ['a simplex stack', SIMPLEX, '3 front, 4 front'],
  ['a duplex stack', DUPLEX, '2 front, 2 back'],
  ['a duplex stack that ended with a front', recorded(front(1), front(2)), '3 front, 4 front'],
  ['a stack that is duplex', { ...SIMPLEX, duplex: true }, '2 back, 3 front'],
  ['a duplex stack whose backs are lost', { ...LOST_BACKS, duplex: true }, '5 back, 6 front'],
  ['a stack of which nothing was recorded', recorded(), '3 front, 4 front'],
  ['a duplex stack that went on as simplex', { ...DUPLEX, duplex: false }, '2 front, 3 front'],
  ['a stack whose second sides were being fed', BACKS, '2 back, 1 back'],
  ['second sides that are more than the fronts', { ...BACKS, pages: [front(1)] }, '2 back, 3 back'],
];

for (const [what, record, places] of SIDES) {
  pages(`that were not recorded get their side from ${what}`, async ({ directory, file }) => {
    for (const name of ['page-0003.tif', 'page-0004.tif']) await writeFile(file(name), tiffFile());
    const { unrecorded } = await compareStoredPages(directory, record);
    const found = unrecorded.slice(-2).map(({ sheet, side }) => `${sheet} ${side}`);
    assert.is(found.join(', '), places);
  });
}

pages('are no other files', async ({ directory, file }) => {
  for (const name of ['scan.json', 'document-0001.pdf', 'page-0003.tif.part', 'page-3.tif'])
    await writeFile(file(name), tiffFile());
  const { unrecorded, warnings, last } = await compareStoredPages(directory, recorded());
  assert.equal([unrecorded.length, warnings, last], [2, [], 2]);
});

/** Files in place of a page. For other damage, see helpers/tiff-header. */
const DAMAGES: [string, Change, RegExp][] = [
  ['cut off in its pixels', (file) => truncate(file, 3000), /it has 3000 of \d+ bytes/],
  ['no TIFF', (file) => writeFile(file, '%PDF-1.7 and so on'), /not a TIFF file/],
  ['gone', (file) => rm(file), /^page-0007\.tif is no longer on disk$/],
];

for (const [what, damage, said] of DAMAGES) {
  pages(
    `that are ${what} are lost and never reused, with a warning about the cause`,
    async (on) => {
      await writeFile(on.file('page-0007.tif'), tiffFile());
      await damage(on.file('page-0007.tif'));
      const known = recorded(front(1), front(2), front(7));
      const { lost, warnings, last } = await compareStoredPages(on.directory, known);
      assert.equal([lost, last, warnings.length], [[7], 7, 1]);
      assert.match(
        warnings[0] ?? '',
        /^page-0007\.tif is (left out because it is not whole: |no lo)/,
      );
      assert.match(warnings[0] ?? '', said);
    },
  );
}

pages('are never links, pipes or directories', async ({ directory, file }) => {
  await symlink(file('page-0001.tif'), file('page-0003.tif'));
  await makePipe(file('page-0004.tif'));
  await mkdir(file('page-0005.tif'));
  const { unrecorded, warnings } = await within(60_000, compareStoredPages(directory, recorded()));
  assert.is(unrecorded.length, 2);
  assert.equal(
    warnings.map((warning) => warning.replace(/ is left out.*: /, ': ')),
    [3, 4, 5].map((number) => `page-000${number}.tif: it is not a plain file`),
  );
});

pages('of a missing directory are an error, not a scan without pages', async ({ file }) => {
  assert.match(String(await rejection(compareStoredPages(file('gone'), recorded()))), /ENOENT/);
});

const [ONE, TWO] = [smallPdf(1), smallPdf(2, 600)];

const documents = inDirectory('documents on disk', async ({ file }) => {
  await writeFile(file('document-0001.pdf'), ONE);
  await writeFile(file('document-0002.pdf'), TWO);
});

const RECORDED = [ONE, TWO].map((content, index): FinishedDocument => ({
  filename: `document-000${index + 1}.pdf`,
  pages: Array.from({ length: index + 1 }, (_, page) => page + 1),
  title: '',
  metadata: {},
  file: { bytes: content.length, sha256: sha256(content) },
  uploads: {},
}));

documents('that are unchanged are not broken', async ({ directory }) => {
  assert.equal(await brokenDocuments(directory, RECORDED), []);
});

/** Damage after which the second document must be made again. */
const BREAKS: [string, Change][] = [
  ['removed', (file) => rm(file)],
  ['emptied', (file) => writeFile(file, '')],
  ['cut off', (file) => truncate(file, TWO.length / 2)],
  ['overwritten with zeros', (file) => writeFile(file, Buffer.alloc(TWO.length))],
  ['cut off, and filled with zeros', (file) => writeFile(file, Buffer.from(TWO).fill(0, 200))],
  ['replaced by a document of one page', (file) => writeFile(file, ONE)],
];

for (const [what, change] of BREAKS) {
  documents(`are made again if one was ${what}`, async ({ directory, file }) => {
    await change(file('document-0002.pdf'));
    assert.equal(await brokenDocuments(directory, RECORDED), [1]);
  });
}

async function linkToCopy(file: string): Promise<void> {
  await writeFile(`${file}.copy`, TWO);
  await rm(file);
  await symlink(`${file}.copy`, file);
}

/** Changes by a person to the second document, which the service then leaves alone. */
const CHANGES: [string, Change][] = [
  ['changed', (file) => writeFile(file, Buffer.from(TWO).fill('y', 250, 251))],
  ['replaced by a directory', (file) => rm(file).then(() => mkdir(file))],
  ['replaced by a link, even to the same bytes', linkToCopy],
];

for (const [what, change] of CHANGES) {
  documents(`fail a resume by name if one was ${what}`, async ({ directory, file }) => {
    await change(file('document-0002.pdf'));
    const error = await failure('scan_not_resumable', brokenDocuments(directory, RECORDED));
    assert.match(error.message, /^document-0002\.pdf was changed since it was made/);
    assert.match(error.message, directory);
  });
}

documents('that are briefly unreadable are not changed', async ({ directory }) => {
  const giveBack = await takeAllDescriptors();
  try {
    const error = await failure('insufficient_storage', brokenDocuments(directory, RECORDED));
    assert.match(error.message, /^document-0001\.pdf of the scan cannot be read \(EMFILE\)/);
  } finally {
    await giveBack();
  }
});

const files = inDirectory('a file of a scan');

files(
  'that is a link, a pipe, a directory or missing is not found, without blocking',
  async (on) => {
    await writeFile(on.file('page-0001.tif'), 'page');
    await symlink('page-0001.tif', on.file('page-0002.tif'));
    await symlink('/etc/passwd', on.file('page-0003.tif'));
    await makePipe(on.file('page-0004.tif'));
    await mkdir(on.file('page-0005.tif'));
    for (const number of [2, 3, 4, 5, 6]) {
      const opened = openScanFile(on.directory, `page-000${number}.tif`);
      await within(60_000, failure('not_found', opened), `the end of ${number}`);
    }
    for (const special of [on.file('page-0004.tif'), '/dev/zero'])
      assert.match(String(await rejection(openPlainFile(special))), /not a plain file/);
  },
);

files('is not treated as missing if a disk fails or too many files are open', async (on) => {
  await writeFile(on.file('page-0001.tif'), 'page');
  const giveBack = await takeAllDescriptors();
  try {
    await failure('insufficient_storage', openScanFile(on.directory, 'page-0001.tif'));
  } finally {
    await giveBack();
  }
});

const sides = suite('sheets and their sides');

/** The page counts of fronts and backs that are reported for a source known to be simplex. */
const COUNTS: [string, readonly RecordedPage[], [number, number] | undefined][] = [
  ['fronts alone', FRONTS, undefined],
  ['as many backs', [...FRONTS, back(4, 3), back(5, 2), back(6, 1)], undefined],
  ['a back too few', [...FRONTS, back(4, 3), back(5, 2)], [3, 2]],
  ['a back too many', [front(1), back(2, 1), back(3, 2)], [1, 2]],
  ['fronts that were added since', [front(1), back(2, 1), front(3, 2)], undefined],
  ['backs of later fronts', [front(1), back(2, 1), front(3, 2), front(4, 3), back(5, 3)], [3, 2]],
  ['a back fed again', [front(1), { ...back(2, 2), replaced: true }, back(3, 1)], undefined],
  ['backs on sheets of their own', [...FRONTS, back(4, 4), back(5, 5)], undefined],
];

for (const [what, given, counts] of COUNTS) {
  sides(`${what}: ${counts ? counts.join(' fronts, ') + ' backs' : 'nothing to find'}`, () => {
    const expected = counts && { fronts: counts[0], backs: counts[1] };
    assert.equal(unmatchedSides({ pages: given, duplex: false }), expected);
    assert.is(unmatchedSides({ pages: given, duplex: true }), undefined);
  });
}

sides('unmatched backs follow the fronts in scanning order', () => {
  const given = [...FRONTS, back(4, 3), { ...back(6, 1), replaced: true as const }, back(5, 2)];
  const inPlace = withBacksOnOwnSheets({ pages: given, arranged: true });
  assert.equal(numbersOf(inPlace), numbersOf(given), 'as a person arranged them');
  const apart = withBacksOnOwnSheets({ pages: given, arranged: false });
  assert.is(
    apart.map(({ number, sheet, side }) => `${number}: ${sheet} ${side}`).join(', '),
    '1: 1 front, 6: 1 back, 2: 2 front, 3: 3 front, 4: 4 back, 5: 5 back',
  );
});

const FED_AFTERWARDS = [...FRONTS, back(4, 3), back(5, 2), back(6, 1)];

const ORDERS: [string, RecordedPage[], number[]][] = [
  ['their scanning where every page is a sheet', [2, 1, 11, 3].map((n) => page(n)), [1, 2, 3, 11]],
  ['the front of a sheet before its back', [back(1, 1), front(2, 1)], [2, 1]],
  ['the sheets where the backs were fed after the fronts', FED_AFTERWARDS, [1, 6, 2, 5, 3, 4]],
];

for (const [what, given, order] of ORDERS) {
  sides(`the order of pages is that of ${what}`, () => {
    assert.equal(numbersOf(inSheetOrder(given)), order);
  });
}
