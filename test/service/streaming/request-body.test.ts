import { appendFile, readdir, readlink, rename, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { lengthOf, readBody, type BodyPart } from '../../../service/streaming/request-body.ts';
import { lookAtFile } from '../../../service/streaming/stored-content.ts';
import { rejection } from '../../support/rejection.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { withFixture } from '../../support/with-fixture.ts';

/** What is read at once. */
const PIECE_BYTES = 64 * 1024;

const LARGE_BYTES = PIECE_BYTES + 7;

const test = withFixture(suite('the body of a request'), async () => {
  const temporary = await temporaryDirectory();
  return {
    directory: temporary.path,
    write: async (name: string, content: string): Promise<string> => {
      const file = path.join(temporary.path, name);
      await writeFile(file, content);
      return file;
    },
    close: () => temporary.remove(),
  };
});

/** Each piece as it was when it came. */
async function piecesOf(parts: readonly BodyPart[]): Promise<Buffer[]> {
  const pieces: Buffer[] = [];
  for await (const piece of readBody(parts)) pieces.push(Buffer.from(piece));
  return pieces;
}

async function openFiles(below: string): Promise<string[]> {
  const descriptors = await readdir('/proc/self/fd');
  const links = descriptors.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => ''));
  return (await Promise.all(links)).filter((file) => file.startsWith(below));
}

test('is its parts in their order, small ones in one piece', async ({ write }) => {
  const parts = [
    Buffer.from('head '),
    await lookAtFile(await write('one', 'first ')),
    Buffer.alloc(0),
    await lookAtFile(await write('none', '')),
    await lookAtFile(await write('two', 'second')),
    Buffer.from(' end'),
  ];
  const pieces = await piecesOf(parts);
  assert.equal(pieces.map(String), ['head first second end']);
  assert.is(lengthOf(parts), 'head first second end'.length);
});

test('of nothing is empty', async () => {
  assert.equal(await piecesOf([]), []);
});

test('of a large file comes in large pieces, byte by byte the same', async ({ write }) => {
  const content = 'abcdefghijk'.repeat(LARGE_BYTES / 5);
  const parts = [Buffer.from('>'), await lookAtFile(await write('large', content))];
  const pieces = await piecesOf(parts);
  assert.is(Buffer.concat(pieces).toString(), `>${content}`);
  assert.is(pieces.length, Math.ceil((content.length + 1) / PIECE_BYTES));
});

test('lies in the same memory, however large it is', async ({ write }) => {
  const file = await write('large', '');
  await truncate(file, 40 * LARGE_BYTES);
  const memory = new Set<ArrayBufferLike>();
  for await (const piece of readBody([await lookAtFile(file)])) memory.add(piece.buffer);
  assert.is(memory.size, 1);
  const [buffer] = memory;
  assert.is(buffer?.byteLength, 0, 'it is given back');
});

const CHANGES: readonly (readonly [string, (file: string) => Promise<unknown>])[] = [
  ['grew', (file) => appendFile(file, 'more')],
  ['was cut off', (file) => truncate(file, LARGE_BYTES - 8)],
  ['was written to', (file) => writeFile(file, 'y'.repeat(LARGE_BYTES))],
  [
    'was replaced',
    async (file) => {
      await writeFile(`${file}.new`, 'y'.repeat(LARGE_BYTES));
      await rename(`${file}.new`, file);
    },
  ],
];

for (const [what, change] of CHANGES) {
  test(`a file that ${what} since it was looked at is an error before its end`, async ({
    write,
    directory,
  }) => {
    const file = await write('page', 'x'.repeat(LARGE_BYTES));
    const content = await lookAtFile(file);
    await change(file);
    let bytes = 0;
    const reading = (async () => {
      for await (const piece of readBody([content])) bytes += piece.length;
    })();
    assert.match(String(await rejection(reading)), /page was changed while it was sent/);
    assert.ok(bytes < LARGE_BYTES, `${bytes} bytes were handed on`);
    assert.equal(await openFiles(directory), []);
  });
}

test('a file that is written to while it is read is an error before its end', async ({ write }) => {
  const file = await write('page', 'x'.repeat(LARGE_BYTES));
  const body = readBody([await lookAtFile(file)]);
  assert.is((await body.next()).done, false);
  await writeFile(file, 'y'.repeat(LARGE_BYTES));
  assert.match(String(await rejection(body.next())), /was changed/);
});

test('opens a file when it is read, and closes it when the reader gives up', async ({
  write,
  directory,
}) => {
  const file = await write('page', 'x'.repeat(2 * LARGE_BYTES));
  const body = readBody([await lookAtFile(file)]);
  assert.equal(await openFiles(directory), []);
  await body.next();
  assert.equal(await openFiles(directory), [file]);
  await body.return();
  assert.equal(await openFiles(directory), []);
});

test('a file that is not there is told at once', async ({ directory }) => {
  assert.match(String(await rejection(lookAtFile(path.join(directory, 'none')))), /ENOENT/);
});

test.run();
