import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import type { FinishedDocument } from '../../../service/archive/scan-record.ts';
import { checkStoredDocuments } from '../../../service/archive/stored-documents.ts';
import { sha256 } from '../../support/scan-parts.ts';
import { takeAllDescriptors } from '../../support/take-all-descriptors.ts';
import { assert, failure, inDirectory } from '../../support/suite.ts';

const test = inDirectory('documents on disk', async ({ file }) => {
  await writeFile(file('document-0001.pdf'), 'one');
  await writeFile(file('document-0002.pdf'), 'two');
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
  test(`a document that was ${what} ends it, by name`, async ({ directory, file }) => {
    await change(file('document-0002.pdf'));
    const error = await failure('scan_not_resumable', checkStoredDocuments(directory, RECORDED));
    assert.match(error.message, /^document-0002\.pdf /);
    assert.match(error.message, said);
    assert.match(error.message, directory);
  });
}

test('that cannot be read for a moment are not changed', async ({ directory }) => {
  const giveBack = await takeAllDescriptors();
  try {
    const error = await failure('insufficient_storage', checkStoredDocuments(directory, RECORDED));
    assert.match(error.message, /^document-0001\.pdf of the scan cannot be read \(EMFILE\)/);
  } finally {
    await giveBack();
  }
});
