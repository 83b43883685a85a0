import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { IncompleteAnswer, storeAnswer } from '../../../service/processor/store-answer.ts';
import { rejection } from '../../support/rejection.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { withFixture } from '../../support/with-fixture.ts';

const test = withFixture(suite('storing an answer'), async () => {
  const temporary = await temporaryDirectory();
  return {
    directory: temporary.path,
    file: path.join(temporary.path, 'page.pdf'),
    close: () => temporary.remove(),
  };
});

async function* source(...parts: (string | Error)[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) {
    if (part instanceof Error) throw part;
    yield await Promise.resolve(Buffer.from(part, 'latin1'));
  }
}

test('writes what came, and tells its size and its hash', async ({ file, directory }) => {
  const stored = await storeAnswer(source('%P', 'DF-', '1.7\0\xFF'), file, 10);
  const content = Buffer.from('%PDF-1.7\0\xFF', 'latin1');
  const sha256 = createHash('sha256').update(content).digest('hex');
  assert.equal(stored, { bytes: 10, sha256 });
  assert.ok((await readFile(file)).equals(content));
  assert.equal(await readdir(directory), ['page.pdf']);
});

test('what goes on and on is not read to its end', async ({ file, directory }) => {
  let bytes = 0;
  async function* endless(): AsyncGenerator<Uint8Array> {
    for (;;) {
      bytes += 100_000;
      yield await Promise.resolve(Buffer.alloc(100_000, '%PDF-'));
    }
  }
  assert.instance(await rejection(storeAnswer(endless(), file, 1_000_000)), IncompleteAnswer);
  assert.is(bytes, 1_100_000);
  assert.equal(await readdir(directory), []);
});

const INCOMPLETE: readonly (readonly [string, string, number])[] = [
  ['too few bytes', '%PDF-1.7', 9],
  ['too many bytes', '%PDF-1.7', 7],
  ['no announced length', '%PDF-1.7', Number.NaN],
  ['no PDF', '<html></html>', 13],
  ['nothing', '', 0],
];

for (const [what, text, announced] of INCOMPLETE) {
  test(`${what} is an incomplete answer, and leaves what was there`, async ({
    file,
    directory,
  }) => {
    await writeFile(file, 'of an earlier try');
    const error = await rejection(storeAnswer(source(text), file, announced));
    assert.instance(error, IncompleteAnswer);
    assert.is(await readFile(file, 'utf8'), 'of an earlier try');
    assert.equal(await readdir(directory), ['page.pdf']);
  });
}

test('an error of the file system passes, and leaves nothing', async ({ file, directory }) => {
  const nowhere = path.join(directory, 'nowhere/page.pdf');
  assert.match(String(await rejection(storeAnswer(source('%PDF-1.7'), nowhere, 8))), /ENOENT/);
  await mkdir(file);
  await writeFile(path.join(file, 'x'), '');
  const error = await rejection(storeAnswer(source('%PDF-1.7'), file, 8));
  assert.match(String(error), /EISDIR|ENOTEMPTY|EEXIST/);
  assert.equal(await readdir(directory), ['page.pdf']);
});

test.run();
