import {
  appendFile,
  readdir,
  readlink,
  rename,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openStoredFile } from '../../../service/http-client/stored-file.ts';
import { rejection } from '../../support/rejection.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { withFixture } from '../../support/with-fixture.ts';

/** More than is read at once. */
const BYTES = 200_000;

const test = withFixture(suite('a file to send'), async () => {
  const temporary = await temporaryDirectory();
  const file = path.join(temporary.path, 'page');
  await writeFile(file, 'x'.repeat(BYTES));
  // Some kernels count time in steps of 4 ms: a change within the same step could not be told.
  await utimes(file, 1, 1);
  return { file, close: () => temporary.remove() };
});

async function bytesOf(blob: Blob): Promise<number> {
  let bytes = 0;
  for await (const piece of blob.stream()) bytes += piece.length;
  return bytes;
}

test('is sent whole, and again', async ({ file }) => {
  const blob = await openStoredFile(file, { type: 'image/tiff' });
  assert.is(blob.size, BYTES);
  assert.is(blob.type, 'image/tiff');
  assert.is(await bytesOf(blob), BYTES);
  assert.is(await bytesOf(blob), BYTES);
});

const CHANGES: readonly (readonly [string, (file: string) => Promise<unknown>])[] = [
  ['grew', (file) => appendFile(file, 'more')],
  ['was cut off', (file) => truncate(file, BYTES - 8)],
  ['was written to', (file) => writeFile(file, 'y'.repeat(BYTES))],
  [
    'was replaced',
    async (file) => {
      await writeFile(`${file}.new`, 'y'.repeat(BYTES));
      await rename(`${file}.new`, file);
    },
  ],
];

for (const [what, change] of CHANGES) {
  test(`that ${what} since it was opened cannot be read`, async ({ file }) => {
    const blob = await openStoredFile(file, { type: 'image/tiff' });
    await change(file);
    assert.match(String(await rejection(bytesOf(blob))), /page changed while it was being sent/);
  });
}

test('that is written to while it is read cannot be read to its end', async ({ file }) => {
  const blob = await openStoredFile(file, { type: 'image/tiff' });
  let bytes = 0;
  const reading = (async () => {
    for await (const piece of blob.stream()) {
      if (bytes === 0) await writeFile(file, 'y'.repeat(BYTES));
      bytes += piece.length;
    }
  })();
  assert.match(String(await rejection(reading)), /page changed while it was being sent/);
  assert.ok(bytes < BYTES);
});

test('is closed when the reader gives up', async ({ file }) => {
  for await (const piece of (await openStoredFile(file, { type: 'image/tiff' })).stream()) {
    assert.ok(piece.length < BYTES);
    break;
  }
  const links = await Promise.all(
    (await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')),
  );
  assert.not.ok(links.includes(file));
});

test('that is missing is an error with the reason at once', async ({ file }) => {
  assert.match(
    String(await rejection(openStoredFile(`${file}.none`, { type: 'image/tiff' }))),
    /ENOENT/,
  );
});

test.run();
