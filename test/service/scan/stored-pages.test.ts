import { mkdir, symlink, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { findStoredPages } from '../../../service/scan/stored-pages.ts';
import { makePipe } from '../../support/make-pipe.ts';
import { tiffFile } from '../../support/fake-scanimage/tiff-file.ts';
import { rejection } from '../../support/rejection.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { withFixture } from '../../support/with-fixture.ts';
import { within } from '../../support/within.ts';

interface Fixture {
  readonly directory: string;
  readonly file: (name: string) => string;
  close(): Promise<void>;
}

const test = withFixture<Fixture>(suite('pages on disk'), async () => {
  const temporary = await temporaryDirectory();
  const file = (name: string): string => path.join(temporary.path, name);
  for (const name of ['page-0001.tif', 'page-0002.tif']) await writeFile(file(name), tiffFile());
  return { directory: temporary.path, file, close: () => temporary.remove() };
});

test('are those that are whole, in order, with or without a record', async ({ directory }) => {
  const pages = [
    { number: 1, filename: 'page-0001.tif' },
    { number: 2, filename: 'page-0002.tif' },
  ];
  for (const expected of [[], ['page-0001.tif'], ['page-0001.tif', 'page-0002.tif']]) {
    assert.equal(await findStoredPages(directory, expected), { pages, warnings: [], last: 2 });
  }
});

test('other files are none of them', async ({ directory, file }) => {
  for (const name of ['scan.json', 'document-0001.pdf', 'page-0003.tif.part', 'page-3.tif']) {
    await writeFile(file(name), tiffFile());
  }
  const { pages, warnings, last } = await findStoredPages(directory, []);
  assert.is(pages.length, 2);
  assert.equal(warnings, []);
  assert.is(last, 2);
});

test('a page that the record names and that is gone is told, and its number not given again', async ({
  directory,
}) => {
  const { pages, warnings, last } = await findStoredPages(directory, [
    'page-0002.tif',
    'page-0007.tif',
  ]);
  assert.is(pages.length, 2);
  assert.equal(warnings, ['page-0007.tif is no longer on disk']);
  assert.is(last, 7);
});

/** What may be where a page should be. */
const DAMAGES: [string, (file: string) => Promise<unknown>, RegExp][] = [
  ['cut off in its pixels', (file) => truncate(file, 3000), /it has 3000 of \d+ bytes/],
  ['cut off in its header', (file) => truncate(file, 20), /header is cut off/],
  ['empty', (file) => truncate(file, 0), /header is cut off/],
  ['no TIFF', (file) => writeFile(file, '%PDF-1.7 and so on'), /no TIFF file/],
  ['zeros, as after a power cut', (file) => writeFile(file, Buffer.alloc(6000)), /no TIFF/],
];

for (const [what, damage, said] of DAMAGES) {
  test(`a page that is ${what} is left out and told`, async ({ directory, file }) => {
    await writeFile(file('page-0003.tif'), tiffFile());
    await damage(file('page-0003.tif'));
    const { pages, warnings, last } = await findStoredPages(directory, ['page-0003.tif']);
    assert.is(pages.length, 2);
    assert.is(warnings.length, 1);
    assert.match(warnings[0] ?? '', /^page-0003\.tif is left out, it is not whole: /);
    assert.match(warnings[0] ?? '', said);
    assert.is(last, 3);
  });
}

test('a link, a pipe or a directory of that name is no page, and nobody waits for it', async ({
  directory,
  file,
}) => {
  await symlink(file('page-0001.tif'), file('page-0003.tif'));
  await makePipe(file('page-0004.tif'));
  await mkdir(file('page-0005.tif'));
  const { pages, warnings } = await within(2000, findStoredPages(directory, []));
  assert.is(pages.length, 2);
  assert.equal(
    warnings.map((warning) => warning.replace(/ is left out.*: /, ': ')),
    [3, 4, 5].map((number) => `page-000${number}.tif: it is no plain file`),
  );
});

test('a directory that is gone is an error, not a scan without pages', async ({ directory }) => {
  assert.match(String(await rejection(findStoredPages(`${directory}/gone`, []))), /ENOENT/);
});

test.run();
