import { appendFile, rename, truncate, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { encodeForm } from '../../../service/http-client/multipart-form.ts';
import { openStoredFile } from '../../../service/http-client/stored-file.ts';
import { filesLeftOpen } from '../../support/processes.ts';
import { assert, rejection, withFixture } from '../../support/suite.ts';

const BYTES = 200_000;

const test = withFixture('a file to send, and a form with files', async (directory) => {
  const file = path.join(directory, 'page');
  await writeFile(file, 'x'.repeat(BYTES));
  // Some kernels count time in 4 ms steps, which would hide a change within the same step.
  await utimes(file, 1, 1);
  return {
    file,
    directory,
    open: (name?: string): Promise<File> =>
      openStoredFile(file, { type: 'image/tiff', ...(name !== undefined && { name }) }),
  };
});

async function bytesOf(blob: Blob, onPiece = (): unknown => undefined): Promise<number> {
  let bytes = 0;
  for await (const piece of blob.stream()) {
    await onPiece();
    bytes += piece.length;
  }
  return bytes;
}

const CHANGED = /page changed while it was being sent/;

test('is sent completely, and again', async ({ open }) => {
  const blob = await open();
  assert.equal([blob.size, blob.type], [BYTES, 'image/tiff']);
  assert.equal([await bytesOf(blob), await bytesOf(blob)], [BYTES, BYTES]);
});

const CHANGES: Readonly<Record<string, (file: string) => Promise<unknown>>> = {
  grew: (file) => appendFile(file, 'more'),
  'was cut off': (file) => truncate(file, BYTES - 8),
  'was written to': (file) => writeFile(file, 'y'.repeat(BYTES)),
  'was replaced': async (file) => {
    await writeFile(`${file}.new`, 'y'.repeat(BYTES));
    await rename(`${file}.new`, file);
  },
};

for (const [what, change] of Object.entries(CHANGES)) {
  test(`that ${what} after it was opened cannot be read`, async ({ file, open }) => {
    const blob = await open();
    await change(file);
    assert.match(String(await rejection(bytesOf(blob))), CHANGED);
  });
}

test('that changes while it is read cannot be read completely', async ({ file, open }) => {
  let pieces = 0;
  const write = (): unknown => (pieces += 1) === 1 && writeFile(file, 'y'.repeat(BYTES));
  assert.match(String(await rejection(bytesOf(await open(), write))), CHANGED);
});

test('is closed if the reader stops early', async ({ directory, open }) => {
  for await (const piece of (await open()).stream()) {
    assert.ok(piece.length < BYTES);
    break;
  }
  assert.equal(await filesLeftOpen(directory), []);
});

test('that is missing is an immediate error with the cause', async ({ file }) => {
  const opened = openStoredFile(`${file}.none`, { type: 'image/tiff' });
  assert.match(String(await rejection(opened)), /ENOENT/);
});

test('another implementation parses a form as it was written', async ({ file, open }) => {
  await writeFile(file, '%PDF-1.7');
  const written = new FormData();
  written.append('tags', '1');
  written.append('page', await open('Größe "x".pdf'));
  written.append('tags', 'zwei');
  written.append('page', await open('b.pdf'));
  const { headers, body } = encodeForm(written);
  const form = await new Response(await text(body()), { headers }).formData();
  assert.equal(form.getAll('tags'), ['1', 'zwei']);
  const files = form.getAll('page') as File[];
  assert.equal(
    files.map(({ name, type }) => [name, type]),
    [
      ['Größe "x".pdf', 'image/tiff'],
      ['b.pdf', 'image/tiff'],
    ],
  );
  assert.equal(await Promise.all(files.map((one) => one.text())), ['%PDF-1.7', '%PDF-1.7']);
});

test('a file name cannot break out of its header', async ({ open }) => {
  const form = new FormData();
  form.append('x', await open('a"\r\nX-Y: z'));
  assert.match(await text(encodeForm(form).body()), 'filename="a%22%0D%0AX-Y: z"\r\n');
});
