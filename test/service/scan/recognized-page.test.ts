import { mkdir, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  findRecognized,
  noteRecognized,
  prepareRecognized,
  recognizedFile,
  stampOf,
} from '../../../service/scan/recognized-page.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { withFixture } from '../../support/with-fixture.ts';

interface Fixture {
  readonly directory: string;
  readonly raw: string;
  readonly file: string;
  readonly note: string;
  close(): Promise<void>;
}

const PAGE = { number: 3, filename: 'page-0003.tif' };

/** A page that was recognised and noted. */
const test = withFixture<Fixture>(suite('a recognised page'), async () => {
  const temporary = await temporaryDirectory();
  const directory = temporary.path;
  const raw = path.join(directory, PAGE.filename);
  await writeFile(raw, 'raw');
  await prepareRecognized(directory);
  const file = recognizedFile(directory, PAGE);
  await writeFile(file, 'pdf');
  const stamp = await stampOf(directory, PAGE);
  assert.ok(stamp);
  await noteRecognized({ number: 3, file, warnings: ['page 3: faint'] }, stamp);
  const note = file.replace('.pdf', '.json');
  return { directory, raw, file, note, close: () => temporary.remove() };
});

test('is found again, with its warnings', async ({ directory, file }) => {
  const found = await findRecognized(directory, PAGE);
  assert.equal(found, { number: 3, file, warnings: ['page 3: faint'] });
});

test('lies beside the others in a directory of the scan', async ({ directory, file }) => {
  assert.is(file, path.join(directory, 'recognized', 'page-0003.pdf'));
  await prepareRecognized(directory);
  assert.equal((await readdir(path.join(directory, 'recognized'))).toSorted(), [
    'page-0003.json',
    'page-0003.pdf',
  ]);
});

test('another page is not found by it', async ({ directory }) => {
  assert.is(await findRecognized(directory, { number: 1, filename: 'page-0001.tif' }), undefined);
});

/** What makes it one that must be recognised again. */
const CHANGES: [string, (fixture: Fixture) => Promise<unknown>][] = [
  ['it was not recognised to the end', ({ note }) => rm(note)],
  ['its note is cut off', ({ note }) => writeFile(note, '{"warn')],
  ['its note is empty', ({ note }) => writeFile(note, '')],
  ['its note says something else', ({ note }) => writeFile(note, '{"warnings":"none"}')],
  ['its note is a directory', ({ note }) => rm(note).then(() => mkdir(note))],
  ['its file is gone', ({ file }) => rm(file)],
  ['the raw page is gone', ({ raw }) => rm(raw)],
  ['the raw page has another size', ({ raw }) => writeFile(raw, 'scanned anew')],
  ['the raw page was written later', ({ raw }) => utimes(raw, new Date(), new Date(0))],
];

for (const [what, change] of CHANGES) {
  test(`is not used when ${what}`, async (fixture) => {
    await change(fixture);
    assert.is(await findRecognized(fixture.directory, PAGE), undefined);
  });
}

test('a page that is not there has no stamp', async ({ directory }) => {
  assert.is(await stampOf(directory, { number: 9, filename: 'page-0009.tif' }), undefined);
});

test.run();
