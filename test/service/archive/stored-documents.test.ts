import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { FinishedDocument } from '../../../service/archive/scan-record.ts';
import { checkStoredDocuments } from '../../../service/archive/stored-documents.ts';
import { makePipe } from '../../support/make-pipe.ts';
import { failure } from '../../support/rejection.ts';
import { sha256 } from '../../support/scan-parts.ts';
import { takeAllDescriptors } from '../../support/take-all-descriptors.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { withFixture } from '../../support/with-fixture.ts';
import { within } from '../../support/within.ts';

interface Fixture {
  readonly directory: string;
  readonly second: string;
  close(): Promise<void>;
}

const test = withFixture<Fixture>(suite('documents on disk'), async () => {
  const temporary = await temporaryDirectory();
  const second = path.join(temporary.path, 'document-0002.pdf');
  await writeFile(path.join(temporary.path, 'document-0001.pdf'), 'one');
  await writeFile(second, 'two');
  return { directory: temporary.path, second, close: () => temporary.remove() };
});

const document = (number: number, content: string): FinishedDocument => ({
  filename: `document-000${number}.pdf`,
  pages: [number],
  title: '',
  metadata: {},
  file: { bytes: content.length, sha256: sha256(content) },
  uploads: {},
});

const RECORDED = [document(1, 'one'), document(2, 'two')];

/** What may have become of the second document. */
const CHANGES: [string, (file: string) => Promise<unknown>, RegExp][] = [
  ['changed', (file) => writeFile(file, 'Two'), /was changed since it was made/],
  ['cut off', (file) => writeFile(file, 'tw'), /was changed/],
  ['emptied', (file) => writeFile(file, ''), /was changed/],
  ['removed', (file) => rm(file), /cannot be read/],
  ['replaced by a directory', (file) => rm(file).then(() => mkdir(file)), /cannot be read/],
  [
    'replaced by a link, even to the same bytes',
    async (file) => {
      await writeFile(`${file}.copy`, 'two');
      await rm(file);
      await symlink(`${file}.copy`, file);
    },
    /cannot be read/,
  ],
];

for (const [what, change, said] of CHANGES) {
  test(`a document that was ${what} ends it, by name`, async ({ directory, second }) => {
    await change(second);
    const error = await failure('scan_not_resumable', checkStoredDocuments(directory, RECORDED));
    assert.match(error.message, /^document-0002\.pdf /);
    assert.match(error.message, said);
    assert.match(error.message, directory);
  });
}

test('a pipe of that name keeps nobody waiting', async ({ directory, second }) => {
  await rm(second);
  await makePipe(second);
  const check = failure('scan_not_resumable', checkStoredDocuments(directory, RECORDED));
  await within(60_000, check, 'the end of the check');
});

test('that cannot be read for a reason of the moment are not said to be changed', async ({
  directory,
}) => {
  const giveBack = await takeAllDescriptors();
  try {
    const error = await failure('insufficient_storage', checkStoredDocuments(directory, RECORDED));
    assert.match(error.message, /^document-0001\.pdf of the scan cannot be read \(EMFILE\)/);
  } finally {
    await giveBack();
  }
});

test.run();
