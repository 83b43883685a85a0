import { mkdir, symlink, truncate, writeFile } from 'node:fs/promises';
import type { RecordedPage } from '../../../service/archive/scan-record.ts';
import { compareStoredPages, type FedRecord } from '../../../service/archive/stored-pages.ts';
import { makePipe } from '../../support/make-pipe.ts';
import { tiffFile } from '../../support/fake-scanimage/tiff-file.ts';
import { page } from '../../support/stored-scan.ts';
import { assert, inDirectory, rejection, within } from '../../support/suite.ts';

const test = inDirectory('pages on disk', async ({ file }) => {
  for (const name of ['page-0001.tif', 'page-0002.tif']) await writeFile(file(name), tiffFile());
});

/** A record of those pages. */
function recorded(...pages: readonly RecordedPage[]): FedRecord {
  return { pages, duplex: undefined, backs: undefined, unmatched: false };
}

const front = (number: number, sheet = number): RecordedPage => page(number, { sheet });
const back = (number: number, sheet: number): RecordedPage => page(number, { sheet, side: 'back' });

test('are as recorded where each of them is whole', async ({ directory }) => {
  assert.equal(await compareStoredPages(directory, recorded(front(1), front(2))), {
    unrecorded: [],
    lost: [],
    warnings: [],
    last: 2,
  });
});

test('that were not recorded are found, in order', async ({ directory }) => {
  for (const known of [[], [front(1)], [front(2)]]) {
    const { unrecorded, lost, last } = await compareStoredPages(directory, recorded(...known));
    const names = known.map(({ filename }) => filename);
    assert.equal(
      unrecorded.map(({ filename }) => filename),
      ['page-0001.tif', 'page-0002.tif'].filter((name) => !names.includes(name)),
    );
    assert.equal([lost, last], [[], 2]);
  }
});

/** Sheets and sides of the third and fourth page, which were not recorded, by what is known of the first two. */
const SIDES: [string, FedRecord, string][] = [
  ['a simplex stack', recorded(front(1), front(2)), '3 front, 4 front'],
  ['a duplex stack', recorded(front(1), back(2, 1)), '2 front, 2 back'],
  [
    'a duplex stack that ended with a front',
    recorded(front(1), { ...front(2), sheet: 2 }),
    '3 front, 4 front',
  ],
  ['a stack that is duplex', { ...recorded(front(1), front(2)), duplex: true }, '2 back, 3 front'],
  [
    'a duplex stack whose backs are lost',
    { ...recorded(front(1), front(2, 5)), duplex: true },
    '5 back, 6 front',
  ],
  ['a stack of which nothing was recorded', recorded(), '3 front, 4 front'],
  [
    'a duplex stack that went on as simplex',
    { ...recorded(front(1), back(2, 1)), duplex: false },
    '2 front, 3 front',
  ],
  [
    'a stack whose second sides were being fed',
    { ...recorded(front(1), front(2)), duplex: false, backs: 'reverse' },
    '2 back, 1 back',
  ],
];

for (const [what, record, places] of SIDES) {
  test(`that were not recorded get their side from ${what}`, async ({ directory, file }) => {
    for (const name of ['page-0003.tif', 'page-0004.tif']) await writeFile(file(name), tiffFile());
    const { unrecorded } = await compareStoredPages(directory, record);
    const found = unrecorded.slice(-2).map(({ sheet, side }) => `${sheet} ${side}`);
    assert.is(found.join(', '), places);
  });
}

test('have the size of their files', async ({ directory }) => {
  const { unrecorded } = await compareStoredPages(directory, recorded());
  assert.ok(unrecorded.every(({ bytes }) => bytes === tiffFile().length));
});

test('are no other files', async ({ directory, file }) => {
  for (const name of ['scan.json', 'document-0001.pdf', 'page-0003.tif.part', 'page-3.tif']) {
    await writeFile(file(name), tiffFile());
  }
  const { unrecorded, warnings, last } = await compareStoredPages(directory, recorded());
  assert.is(unrecorded.length, 2);
  assert.equal(warnings, []);
  assert.is(last, 2);
});

test('that are recorded and gone are lost, never reused', async ({ directory }) => {
  const { lost, warnings, last } = await compareStoredPages(
    directory,
    recorded(front(1), front(2), front(7)),
  );
  assert.equal(lost, [7]);
  assert.equal(warnings, ['page-0007.tif is no longer on disk']);
  assert.is(last, 7);
});

/** What may be where a page should be. */
const DAMAGES: [string, (file: string) => Promise<unknown>, RegExp][] = [
  ['cut off in its pixels', (file) => truncate(file, 3000), /it has 3000 of \d+ bytes/],
  ['cut off in its header', (file) => truncate(file, 20), /header is cut off/],
  ['empty', (file) => truncate(file, 0), /header is cut off/],
  ['no TIFF', (file) => writeFile(file, '%PDF-1.7 and so on'), /not a TIFF file/],
  ['zeros, as after a power cut', (file) => writeFile(file, Buffer.alloc(6000)), /not a TIFF/],
];

for (const [what, damage, said] of DAMAGES) {
  test(`a page that is ${what} is lost, and why is a warning`, async ({ directory, file }) => {
    await writeFile(file('page-0003.tif'), tiffFile());
    await damage(file('page-0003.tif'));
    const known = [front(1), front(2), front(3)];
    const { lost, warnings, last } = await compareStoredPages(directory, recorded(...known));
    assert.equal(lost, [3]);
    assert.is(warnings.length, 1);
    assert.match(warnings[0] ?? '', /^page-0003\.tif is left out because it is not whole: /);
    assert.match(warnings[0] ?? '', said);
    assert.is(last, 3);
  });
}

test('a link, a pipe or a directory is no page', async ({ directory, file }) => {
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

test('a directory that is gone is an error, not a scan without pages', async ({ directory }) => {
  assert.match(
    String(await rejection(compareStoredPages(`${directory}/gone`, recorded()))),
    /ENOENT/,
  );
});
