import { appendFile, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { Failure } from '../../../../helpers/failure.ts';
import { DEFAULT_REDELIVERY } from '../../../../service/archive/upload-decision.ts';
import { feedPages, type PartFaults, sha256 } from '../../../support/scan-parts.ts';
import { smallPdf } from '../../../support/small-pdf.ts';
import { assert, failure } from '../../../support/suite.ts';
import { type ScanBench, scanTests, statuses } from './scan-bench.ts';

const test = scanTests('files damaged between two calls');

const DAMAGES = {
  'cut off': async (file: string) => truncate(file, Math.floor((await readFile(file)).length / 2)),
  'filled with zeros': async (file: string) =>
    writeFile(file, Buffer.alloc((await readFile(file)).length)),
  emptied: (file: string) => truncate(file, 0),
  removed: (file: string) => rm(file),
  'replaced by another PDF': (file: string) => writeFile(file, smallPdf()),
} as const;

const REFUSES = { kind: 'answer', status: 400, body: '{}' } as const;

const PER_PAGE = { assembly: { page_grouping: 'per_page' } };

for (const [what, damage] of Object.entries(DAMAGES)) {
  test(`a recognized page that was ${what} is recognized again`, async (bench) => {
    const { scans } = await bench.start({ feed: feedPages(2) });
    const { scan_id: id } = await scans.scan({ ...bench.call(), hold: true });
    const file = bench.file(id, 'recognized/page-0001.pdf');
    const before = await readFile(file);
    await damage(file);
    const { scans: later, parts } = await bench.start();
    const { documents } = await later.resume(id);
    assert.equal(parts.recognized, ['page-0001.tif']);
    const lines = (await readFile(bench.file(id, 'document-0001.pdf'), 'utf8')).split('\n');
    assert.is(`${lines[0]}\n`, before.toString());
    assert.equal([documents[0]?.pages, bench.dms.uploads().length], [[1, 2], 1]);
  });
}

/** A scan of two one-page documents: the first delivered, the second refused. */
async function scanTwo(bench: ScanBench): Promise<string> {
  const { scans } = await bench.start({ feed: feedPages(2) });
  bench.dms.events.once('upload_ended', () => bench.dms.setFault(REFUSES));
  const result = await scans.scan(bench.call(PER_PAGE));
  assert.is(statuses(result), 'submitted, failed');
  bench.dms.setFault(undefined);
  return result.scan_id;
}

for (const what of ['cut off', 'filled with zeros', 'emptied', 'removed'] as const) {
  test(`documents that were ${what} are made again, and sent where they are missing`, async (bench) => {
    const id = await scanTwo(bench);
    const files = ['document-0001.pdf', 'document-0002.pdf'].map((name) => bench.file(id, name));
    for (const file of files) await DAMAGES[what](file);
    const { scans, parts } = await bench.start();
    const { documents, warnings } = await scans.resume(id);
    assert.equal(parts.recognized.toSorted(), ['page-0001.tif', 'page-0002.tif']);
    const uploads = bench.dms.uploads().map(({ filename, status }) => {
      return `${filename?.slice(-'0001.pdf'.length)} ${status}`;
    });
    assert.equal(uploads, ['0001.pdf 200', '0002.pdf 400', '0002.pdf 200']);
    for (const [index, file] of files.entries()) {
      const content = await readFile(file);
      assert.is(documents[index]?.sha256, sha256(content));
      assert.match(content.toString(), `page-000${index + 1}.tif`);
    }
    assert.is(bench.dms.uploads().at(-1)?.sha256, documents[1]?.sha256);
    assert.match(
      warnings.join('\n'),
      'document-0002.pdf was damaged on the disk. It was made again',
    );
    assert.not.ok((await readdir(bench.file(id, ''))).includes('recognized'));
  });
}

test('a document is made again after each failure', async (bench) => {
  const id = await scanTwo(bench);
  await truncate(bench.file(id, 'document-0002.pdf'), 0);
  const no = new Failure('processing_failed', 'No.');
  const failing = await bench.start({ assemble: () => Promise.reject(no) });
  await failure('processing_failed', failing.scans.resume(id));
  assert.is((await bench.stored(id)).stage, 'process');
  const { scans, parts } = await bench.start();
  assert.is(statuses(await scans.resume(id)), 'submitted, submitted');
  assert.equal([...parts.merged.keys()], ['document-0002.pdf']);
});

const blind = scanTests('damaged files of a user who sees no tasks', [
  { token: 'token', permissions: ['add_document', 'view_document'] },
]);

blind('a document that arrived is found even after it was made again', async (bench) => {
  const { dms } = bench;
  let times = 0;
  const processor: PartFaults['processor'] = (played) => ({
    assembleDocument: async (request) => {
      const made = await played.assembleDocument(request);
      // Contains the time, as a real PDF does.
      await appendFile(request.outFile, `made ${(times += 1)}`);
      const content = await readFile(request.outFile);
      return { ...made, bytes: content.length, sha256: sha256(content) };
    },
  });
  const { scans } = await bench.start({ feed: feedPages(1), processor });
  dms.setFault({ kind: 'answer', status: 500, store: true });
  const { scan_id: id } = await scans.scan(bench.call());
  dms.setFault(undefined);
  await dms.idle();
  await truncate(bench.file(id, 'document-0001.pdf'), 0);
  const redelivery = { ...DEFAULT_REDELIVERY, resend_unknown: true };
  const { warnings } = await scans.resume(id, { redelivery });
  assert.match(warnings.join('\n'), /document-0001\.pdf: \S+ has this document as number 1/);
  assert.is(dms.uploads().length, 1);
});

test('a document is not made again without one of its pages', async (bench) => {
  const id = await scanTwo(bench);
  await truncate(bench.file(id, 'document-0002.pdf'), 0);
  await truncate(bench.file(id, 'page-0002.tif'), 3);
  const { scans } = await bench.start();
  const { message } = await failure('scan_not_resumable', scans.resume(id));
  assert.match(
    message,
    /^document-0002\.pdf is damaged, and page-0002\.tif, of which it was made,/,
  );
  assert.is((await bench.stored(id)).state, 'finished');
});

test('a document changed by a person is neither sent nor made again', async (bench) => {
  const id = await scanTwo(bench);
  const changed = smallPdf();
  await writeFile(bench.file(id, 'document-0002.pdf'), changed);
  const before = bench.dms.uploads().length;
  const { scans } = await bench.start();
  const { message } = await failure('scan_not_resumable', scans.resume(id));
  assert.match(message, /^document-0002\.pdf was changed since it was made/);
  assert.is(bench.dms.uploads().length, before);
  assert.ok((await readFile(bench.file(id, 'document-0002.pdf'))).equals(changed));
});
